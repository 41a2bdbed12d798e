import type { ReactNode } from 'react'

export type Fact = readonly [name: string, value: ReactNode]

/** Names and values, a line each. */
export function FactList({ lines, className = '' }: { lines: readonly Fact[]; className?: string }) {
  return (
    <dl className={`kv ${className}`.trim()}>
      {lines.map(([name, value]) => (
        <div key={name} className="line">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
