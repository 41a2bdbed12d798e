import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { stringifyJson } from '../../../shared/contract/json.ts'
import { useClient } from '../../data/client.tsx'
import { refreshItems } from '../../data/items.ts'
import { refreshMemory, type ReadRow } from '../../data/queries.ts'
import { useDebounced } from '../../state/debounced.ts'
import { forgetDraft, keepDraft, readDraft } from '../../state/draft.ts'
import { useUndo } from '../../state/undo.tsx'
import { looksSecret } from '../../text/secret.ts'
import { fieldsOf, filledFrom, isJsonRow, isUnchanged, problemsOf, putBackInput, setInput, type Fields } from './form-input.ts'
import { findingOf, fromError, savesAtOnce, type Answer, type Judgement } from './judgement.ts'
import { SAVED as say } from './strings.ts'
import { useKeyHolder, useSuggestedKeys } from './use-key.ts'

/** What the form opens with. */
export type Start =
  /** `draft`: where what was typed is kept, if not with that of the window. */
  | { readonly kind: 'new'; readonly namespace: string; readonly text: string; readonly draft?: string }
  | { readonly kind: 'edit'; readonly row: ReadRow }

/** The verdict may wait until a person pauses; the secret check may not. Milliseconds. */
const REST_MS = 250

const EMPTY: Omit<Fields, 'namespace'> = { text: '', key: '', tags: [], type: 'semantic', since: '', until: '' }

const draftName = (start: Start): string => (start.kind === 'edit' ? start.row.memory_id : (start.draft ?? 'new'))

function firstFields(start: Start): { fields: Fields; fromDraft: boolean } {
  const draft = readDraft(draftName(start))
  if (start.kind === 'edit') {
    const fields = fieldsOf(start.row)
    return draft ? { fields: { ...fields, text: draft.text, tags: draft.tags }, fromDraft: true } : { fields, fromDraft: false }
  }
  if (start.text) return { fields: { ...EMPTY, namespace: start.namespace, text: start.text }, fromDraft: false }
  return draft
    ? { fields: { ...EMPTY, ...draft }, fromDraft: true }
    : { fields: { ...EMPTY, namespace: start.namespace }, fromDraft: false }
}

/** The state of the Write form: fields, what stands against them, the dry run, and saving. */
export function useWrite(start: Start, onSaved: (id: string, namespace: string) => void) {
  const client = useClient()
  const cache = useQueryClient()
  const { say: announce } = useUndo()
  const [first] = useState(() => firstFields(start))
  const [fields, setFields] = useState(first.fields)
  const [fromDraft, setFromDraft] = useState(first.fromDraft)
  const [chosenBase, setChosenBase] = useState<ReadRow | null>(start.kind === 'edit' ? start.row : null)
  /** The row as it was before somebody else changed it under this form. */
  const [moved, setMoved] = useState<ReadRow | null>(null)
  const [saving, setSaving] = useState(false)
  const [saveError, setSaveError] = useState<Judgement | null>(null)
  const wantsSave = useRef(false)

  const rested = useDebounced(fields, REST_MS)
  const json = isJsonRow(chosenBase) && start.kind === 'edit'
  const suggestions = useSuggestedKeys(rested.namespace, rested.text, chosenBase === null && fields.key === '')
  const key = fields.key || (chosenBase ? chosenBase.memory_key : (suggestions[0] ?? ''))
  const holder = useKeyHolder(rested.namespace, rested.key, chosenBase === null && rested.key === fields.key)
  const base = chosenBase ?? (fields.key && holder.data ? holder.data : null)

  const problems = problemsOf(fields, key, json)
  const secret = looksSecret(fields.text)
  const input = useMemo(() => setInput(fields, key, { row: base, byKey: chosenBase === null, json }), [fields, key, base, chosenBase, json])
  const settled = rested === fields && key !== '' && !(fields.key && !chosenBase && holder.isPending)
  const canCheck = settled && fields.text.trim() !== '' && !secret && !Object.keys(problems).length
  const unchanged = base !== null && isUnchanged(chosenBase ? fields : filledFrom(fields, base), base)
  const dryRun = useQuery({
    // The text may hold a bigint, which the cache could not take as a key.
    queryKey: ['dry-run', stringifyJson(input)],
    enabled: canCheck,
    gcTime: 10_000,
    queryFn: ({ signal }) => client.memory.set({ ...input, if_match_sha256: '', dry_run: true }, { signal }),
  })

  const judgement = useMemo<Judgement>(() => {
    if (saveError) return saveError
    if (!fields.text.trim()) return { kind: 'empty' }
    if (Object.keys(problems).length) return { kind: 'invalid', problems }
    if (secret) return { kind: 'secret' }
    if (canCheck && holder.error && fields.key && !chosenBase) return fromError(holder.error)
    if (canCheck && dryRun.error) return fromError(dryRun.error)
    if (canCheck && dryRun.data) return { kind: 'judged', finding: findingOf(dryRun.data, unchanged), answer: dryRun.data }
    return { kind: 'checking' }
    // `problems` is made anew on each render; its text says all that it holds.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [saveError, fields, JSON.stringify(problems), secret, canCheck, holder.error, chosenBase, dryRun.error, dryRun.data, unchanged])

  useEffect(() => {
    const changed = start.kind === 'new' || fields.text !== fieldsOf(start.row).text
    keepDraft(draftName(start), changed ? { namespace: fields.namespace, text: fields.text, key: fields.key, tags: fields.tags } : null)
  }, [fields, start])

  const change = (part: Partial<Fields>): void => {
    wantsSave.current = false
    setSaveError(null)
    setFields((before) => ({ ...before, ...part }))
  }

  const finish = (answer: Answer): void => {
    refreshItems(cache)
    refreshMemory(cache, null)
    if (answer.conflict_verdict === 'rejected' && !answer.memory_id) {
      announce({ subject: key, said: say.rejected, failed: true })
      return
    }
    forgetDraft(draftName(start))
    announce(doneOf(answer))
    onSaved(answer.memory_id, answer.namespace)
  }

  const doneOf = (answer: Answer) => {
    const subject = answer.merged_into_key || answer.memory_key
    if (answer.merged_into_key) return { subject, said: say.merged }
    if (answer.noop) return { subject, said: say.same }
    const said = base
      ? say.revised
      : answer.conflict_verdict === 'conflict'
        ? say.conflict
        : answer.conflict_verdict === 'duplicate'
          ? say.duplicate
          : say.saved
    const undo = async (): Promise<string> => {
      if (base) await client.memory.set(putBackInput(base, answer.content_sha256))
      else {
        const { agent, user_id, session_id } = await client.memory.get_by_id({ memory_id: answer.memory_id })
        await client.memory.delete({
          namespace: answer.namespace,
          memory_key: answer.memory_key,
          ...(agent ? { agent } : {}),
          ...(user_id ? { user_id } : {}),
          ...(session_id ? { session_id } : {}),
        })
      }
      refreshItems(cache)
      refreshMemory(cache, null)
      return base ? say.undoneEdit(answer.memory_key) : say.undoneNew(answer.memory_key)
    }
    return { subject, said, undo }
  }

  /** Somebody wrote while this form was open: show what they changed, and let the person decide on that. */
  const meetChange = async (): Promise<void> => {
    if (!base) return
    const now = await client.memory.get_by_id({ memory_id: base.memory_id })
    if (!now.found) {
      setChosenBase(null)
      return
    }
    setMoved(base)
    setChosenBase(now as ReadRow)
  }

  const store = async (extra: { sensitivity?: 'high' } = {}): Promise<void> => {
    if (saving || Object.keys(problems).length || !fields.text.trim() || !key) return
    setSaving(true)
    try {
      finish(await client.memory.set({ ...input, ...extra }, {}))
    } catch (error) {
      const failure = error as Error & { code?: string }
      if (failure.code === 'PRECONDITION_FAILED') await meetChange()
      else setSaveError(fromError(failure))
    } finally {
      setSaving(false)
    }
  }

  const save = (): void => {
    if (judgement.kind === 'checking') wantsSave.current = true
    else void store()
  }
  useEffect(() => {
    if (judgement.kind === 'checking' || !wantsSave.current) return
    wantsSave.current = false
    if (savesAtOnce(judgement)) void store()
    // Asked for while the check ran: it goes ahead when, and only when, the verdict came.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [judgement])

  const updateInstead = async (id: string): Promise<void> => {
    const peer = await client.memory.get_by_id({ memory_id: id })
    if (!peer.found) return
    const row = peer as ReadRow
    setChosenBase(row)
    change({ key: row.memory_key, namespace: row.namespace, type: row.memory_type, tags: [...new Set([...row.tags, ...fields.tags])] })
  }

  const afresh = (): void => {
    forgetDraft(draftName(start))
    setFromDraft(false)
    setFields(start.kind === 'edit' ? fieldsOf(start.row) : { ...EMPTY, namespace: start.namespace })
  }

  return {
    fields,
    change,
    key,
    keyIsTyped: fields.key !== '',
    suggestions,
    base,
    moved,
    json,
    problems,
    judgement,
    saving,
    fromDraft,
    afresh,
    save,
    saveSensitive: () => void store({ sensitivity: 'high' }),
    updateInstead: (id: string) => void updateInstead(id),
    retry: () => {
      setSaveError(null)
      void dryRun.refetch()
    },
  }
}

export type Write = ReturnType<typeof useWrite>
