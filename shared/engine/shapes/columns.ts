/** What a shape is made of, and its columns in short. */

/** A type of Postgres, as its catalog names it. */
export type ColumnType = 'text' | 'int4' | 'int8' | 'float8' | 'bool' | 'timestamptz' | 'jsonb'

export interface ShapeColumn {
  readonly name: string
  readonly type: ColumnType
  /** 1 for an array of `type`. */
  readonly dims?: 1
  readonly nullable?: true
}

export interface ShapeDefinition {
  /** Schema and table of the rows; names them in every message. */
  readonly relation: readonly [schema: string, table: string]
  readonly columns: readonly ShapeColumn[]
  /** Columns of the key, in order. */
  readonly key: readonly string[]
  /** Rows that an erasure takes: the handle rotates when its filter meets the scope. */
  readonly content: boolean
}

export const column =
  (type: ColumnType, more: Pick<ShapeColumn, 'dims' | 'nullable'> = {}) =>
  (...names: readonly string[]): ShapeColumn[] =>
    names.map((name) => ({ name, type, ...more }))

export const text = column('text')
export const texts = column('text', { dims: 1 })
export const int8 = column('int8')
export const int4 = column('int4')
export const float8 = column('float8')
export const bool = column('bool')
export const time = column('timestamptz')
export const maybeText = column('text', { nullable: true })
export const maybeInt8 = column('int8', { nullable: true })
export const maybeFloat8 = column('float8', { nullable: true })
export const maybeTime = column('timestamptz', { nullable: true })
