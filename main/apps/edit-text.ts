import { isDeepStrictEqual } from 'node:util'
import { applyEdits, createScanner, getNodeValue, modify, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { type Entry, ENTRY_NAME } from './entry.ts'

/** Kinds of tokens, as the scanner numbers them: its own enum has no values at run time. */
const TOKEN = { comma: 5, lineComment: 12, blockComment: 13, blank: 15, end: 17 } as const

/** A file of servers as read: its other entries by name, and ours. */
export interface Servers {
  readonly others: readonly string[]
  /** Undefined: there is none. */
  readonly own: unknown
}

/** What stands against reading a text; for people. */
export interface Unreadable {
  readonly problem: string
}

export interface Shape {
  readonly section: string
  readonly lenient: boolean
}

const isBlank = (text: string): boolean => text.trim() === ''

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

const members = (node: Node): readonly Node[] => node.children ?? []
const nameOf = (member: Node): string => String(member.children?.[0]?.value)
const named = (node: Node, name: string): readonly Node[] => members(node).filter((member) => nameOf(member) === name)

/** @returns the tree; undefined for an empty text */
function treeOf(text: string, { lenient }: Shape): Node | Unreadable | undefined {
  if (isBlank(text)) return undefined
  const errors: ParseError[] = []
  let tree: Node | undefined
  try {
    tree = parseTree(text, errors, { allowTrailingComma: lenient, disallowComments: !lenient })
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'It is nested too deeply to be a file of settings.' }
    throw error
  }
  const first = errors[0]
  if (first) {
    const what = printParseErrorCode(first.error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
    return { problem: `It is no ${lenient ? 'JSON' : 'plain JSON'}: ${what} at ${placeOf(text, first.offset)}.` }
  }
  return tree
}

function sectionOf(tree: Node, section: string): Node | Unreadable | null {
  if (tree.type !== 'object') return { problem: 'It holds no object.' }
  const found = named(tree, section)
  if (found.length > 1) return { problem: `It names “${section}” twice.` }
  const value = found[0]?.children?.[1]
  if (!value) return null
  if (value.type !== 'object') return { problem: `“${section}” in it is no object.` }
  return named(value, ENTRY_NAME).length > 1 ? { problem: `It names “${ENTRY_NAME}” twice.` } : value
}

/** The parser's own objects have no prototype, and equal none that have. */
const plain = (node: Node): unknown => JSON.parse(JSON.stringify(getNodeValue(node))) as unknown

const isUnreadable = (found: unknown): found is Unreadable => typeof found === 'object' && found !== null && 'problem' in found

export function readServers(text: string, shape: Shape): Servers | Unreadable {
  const tree = treeOf(text, shape)
  if (tree === undefined) return { others: [], own: undefined }
  if (isUnreadable(tree)) return tree
  const section = sectionOf(tree, shape.section)
  if (isUnreadable(section)) return section
  if (!section) return { others: [], own: undefined }
  const own = named(section, ENTRY_NAME)[0]?.children?.[1]
  return {
    others: members(section)
      .map(nameOf)
      .filter((name) => name !== ENTRY_NAME),
    own: own && plain(own),
  }
}

function layoutOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^([ \t]+)["}\]]/m.exec(text)?.[1] ?? '  '
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : Math.min(indent.length, 8),
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

/**
 * Puts a member after the last one of an object that has its members on lines of their own; what stands behind that one
 * on its line, a comma or a comment, stays with it.
 */
function afterLast(text: string, last: Node, name: string, value: unknown): string {
  const end = last.offset + last.length
  const scanner = createScanner(text, false)
  scanner.setPosition(end)
  let hasComma = false
  let lineEnd = end
  for (let kind: number = scanner.scan(); kind !== TOKEN.end; kind = scanner.scan()) {
    if (kind === TOKEN.comma) hasComma = true
    else if (kind !== TOKEN.blank && kind !== TOKEN.lineComment && kind !== TOKEN.blockComment) break
    lineEnd = scanner.getPosition()
  }
  const { insertSpaces, tabSize, eol } = layoutOf(text)
  const indent = /[ \t]*$/.exec(text.slice(0, last.offset))?.[0] ?? ''
  const body = JSON.stringify({ [name]: value }, null, insertSpaces ? tabSize : '\t')
    .split('\n')
    .slice(1, -1)
  const outer = body[0]?.length === body[0]?.trimStart().length ? 0 : (body[0]?.search(/\S/) ?? 0)
  const lines = body.map((line) => indent + line.slice(outer)).join(eol)
  const comma = hasComma ? '' : ','
  return `${text.slice(0, end)}${comma}${text.slice(end, lineEnd)}${eol}${lines}${hasComma ? ',' : ''}${text.slice(lineEnd)}`
}

const startsLine = (text: string, node: Node): boolean => /(^|\n)[ \t]*$/.test(text.slice(0, node.offset))

/** Offset of the comma behind a place, past comments; null where there is none. */
function commaAfter(text: string, at: number): number | null {
  const scanner = createScanner(text, true)
  scanner.setPosition(at)
  const kind: number = scanner.scan()
  return kind === TOKEN.comma ? scanner.getTokenOffset() : null
}

/** Takes out a member that has its lines to itself, and the comma that is then too many; null where it shares a line. */
function withoutLines(text: string, parent: Node, member: Node): string | null {
  const at = members(parent).indexOf(member)
  const end = member.offset + member.length
  const behind = /^[ \t]*(,?)[ \t]*(?:\r?\n|$)/.exec(text.slice(end))
  if (!behind || !startsLine(text, member)) return null
  const rest = text.slice(end + behind[0].length)
  const before = text.slice(0, member.offset).replace(/[ \t]*$/, '')
  const previous = members(parent)[at - 1]
  const comma = behind[1] === '' && previous ? commaAfter(text, previous.offset + previous.length) : null
  return comma === null ? before + rest : before.slice(0, comma) + before.slice(comma + 1) + rest
}

function edit(text: string, shape: Shape, tree: Node, entry: Entry | null): string {
  const section = sectionOf(tree, shape.section)
  const has = section !== null && !isUnreadable(section) && named(section, ENTRY_NAME).length > 0
  const parent = section === null || isUnreadable(section) ? tree : section
  const last = members(parent).at(-1)
  const isAdded = entry !== null && !has
  if (isAdded && last && startsLine(text, last))
    return parent === tree ? afterLast(text, last, shape.section, { [ENTRY_NAME]: entry }) : afterLast(text, last, ENTRY_NAME, entry)
  if (entry === null && section !== null && !isUnreadable(section)) {
    const member = named(section, ENTRY_NAME)[0]
    const without = member ? withoutLines(text, section, member) : null
    if (without !== null) return without
  }
  // The formatter lays out whole lines: of one that holds other members it would touch those.
  const options = text.trim().includes('\n') && entry !== null && !(isAdded && last) ? { formattingOptions: layoutOf(text) } : {}
  return applyEdits(text, modify(text, [shape.section, ENTRY_NAME], entry ?? undefined, options))
}

/** Everything but our entry, and but a section that holds nothing else: what an edit may not touch. */
function restOf(text: string, shape: Shape): unknown {
  const tree = treeOf(text, shape)
  if (tree === undefined) return { values: [], comments: [] }
  if (isUnreadable(tree)) return tree
  const section = sectionOf(tree, shape.section)
  const own = section && !isUnreadable(section) ? named(section, ENTRY_NAME)[0] : undefined
  const outline = (node: Node): unknown =>
    node === own ? null : node.children ? [node.type, node.children.map(outline).filter((one) => one !== null)] : [node.type, node.value]
  const values = members(tree)
    .map(outline)
    .filter(
      (one) =>
        !isDeepStrictEqual(one, [
          'property',
          [
            ['string', shape.section],
            ['object', []],
          ],
        ]),
    )
  return { values, comments: commentsOf(text, own) }
}

function commentsOf(text: string, without: Node | undefined): string[] {
  const scanner = createScanner(text, false)
  const comments: string[] = []
  for (let kind: number = scanner.scan(); kind !== TOKEN.end; kind = scanner.scan()) {
    const at = scanner.getTokenOffset()
    const isInside = without !== undefined && at >= without.offset && at < without.offset + without.length
    if ((kind === TOKEN.lineComment || kind === TOKEN.blockComment) && !isInside)
      comments.push(text.slice(at, at + scanner.getTokenLength()))
  }
  return comments
}

/**
 * The text with our entry written, or with it taken out (null); everything else as it was, comments, order and line
 * ends included.
 */
export function withEntry(text: string, shape: Shape, entry: Entry | null): { readonly text: string } | Unreadable {
  const found = readServers(text, shape)
  if (isUnreadable(found)) return found
  const tree = treeOf(text, shape)
  if (entry === null && found.own === undefined) return { text }
  if (tree === undefined || isUnreadable(tree))
    return { text: `${JSON.stringify({ [shape.section]: { [ENTRY_NAME]: entry } }, null, 2)}\n` }
  const edited = edit(text, shape, tree, entry)
  const now = readServers(edited, shape)
  const isDone = !isUnreadable(now) && isDeepStrictEqual(now.own, entry ?? undefined)
  if (!isDone || !isDeepStrictEqual(restOf(edited, shape), restOf(text, shape)))
    return { problem: 'It is laid out so that Loom cannot change it without touching the rest. Copy the entry into it by hand.' }
  return { text: edited }
}
