import { expect } from 'vitest'
import { compareIndexes } from '../../helpers/invariants.ts'
import { changed, expectWhole, type FaultyEngine } from './space.ts'
import type { WriteCase } from './write-cases.ts'

/** No write takes so many statements. */
const MOST = 400

const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    (answer) => ({ answer }),
    (error: { code?: string }) => ({ code: error.code }),
  )

/** Breaks a write at each of its statements in turn, until it goes through unbroken; answers at how many it was broken. */
export async function breakEverywhere(engine: FaultyEngine, { name, before, run, several, changes }: WriteCase): Promise<number> {
  const { watch } = engine
  let space = engine.space()
  await before?.(space)
  for (let at = 1; at < MOST; at++) {
    if (several && at > 1) {
      space = engine.space()
      await before?.(space)
    }
    const stood = several ? new Map<string, string>() : await watch.fingerprints()
    watch.breakAt(at, 'before')
    const outcome = await outcomeOf(watch.run(() => run(space, several ? undefined : `key of ${name}`)))
    const { statement, torn } = watch.end()
    const when = `${name}, statement ${at}: ${statement}`
    if (statement === '') {
      expect(outcome, when).toHaveProperty('answer')
      await expectWhole(engine, space.namespace, when)
      if (!several) {
        const now = await watch.fingerprints()
        if (changes) expect(changed(stood, now), when).toEqual(expect.arrayContaining([...changes]))
        // The same call once more under its key is answered, and changes nothing.
        expect(await outcomeOf(run(space, `key of ${name}`))).toEqual(outcome)
        expect(changed(now, await watch.fingerprints()), when).toEqual([])
      }
      // BEGIN, COMMIT, and between them at least a look, a change and the answer that is kept.
      expect(at, when).toBeGreaterThan(several ? 3 : 5)
      return at - 1
    }
    expect(torn, when).toEqual([])
    if (!several) {
      expect(outcome, when).toEqual({ code: engine.fault })
      expect(changed(stood, await watch.fingerprints()), when).toEqual([])
    }
    await expectWhole(engine, space.namespace, when)
    if (several) {
      // What a fault cut short, a repetition finishes.
      expect(await outcomeOf(run(space)), when).toHaveProperty('answer')
      await expectWhole(engine, space.namespace, `${when}, again`)
    }
  }
  throw new Error(`${name} takes more than ${MOST} statements`)
}

/** A write whose commit comes through, and whose caller is told of an error. */
export async function loseTheAnswer(engine: FaultyEngine, { name, before, run }: WriteCase): Promise<void> {
  const { watch, loom } = engine
  const space = engine.space()
  await before?.(space)
  const stood = await watch.fingerprints()
  watch.onStatement(
    (text) => text.trim().toUpperCase() === 'COMMIT',
    'after',
    () => {
      throw new Error('the connection was lost')
    },
  )
  const outcome = await outcomeOf(watch.run(() => run(space, `lost key of ${name}`)))
  watch.end()
  expect(outcome).toEqual({ code: 'INTERNAL' })
  const now = await watch.fingerprints()
  expect(changed(stood, now)).toContain('idempotency')
  // It came through: the index shows it, and who asks again under the key is told so.
  await expectWhole(engine, space.namespace, name)
  await compareIndexes(loom, space.namespace, engine.now)
  expect(await outcomeOf(run(space, `lost key of ${name}`))).toHaveProperty('answer')
  expect(changed(now, await watch.fingerprints())).toEqual([])
}
