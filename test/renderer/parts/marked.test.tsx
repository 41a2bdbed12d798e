import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Changes, Differing, Found } from '../../../renderer/parts/marked.tsx'

describe('marked text', () => {
  it('shows a value as text: nothing in it becomes markup', () => {
    const hostile = '<img src=x onerror=alert(1)> deploy'
    for (const shown of [
      <Found key="f" text={hostile} words={['deploy']} />,
      <Differing key="d" text={hostile} other="deploy" />,
      <Changes key="c" before="deploy" after={hostile} />,
    ]) {
      const html = renderToStaticMarkup(shown)
      expect(html).not.toContain('<img')
      expect(html).toContain('&lt;img')
    }
  })

  it('marks what matched, what differs, what went and what came', () => {
    expect(renderToStaticMarkup(<Found text="Every deploy" words={['deploy']} />)).toBe('Every <mark>deploy</mark>')
    expect(renderToStaticMarkup(<Changes before="runs on Tuesday only" after="runs on Thursday only" />)).toBe(
      'runs on <del>Tuesday</del> <ins>Thursday</ins> only',
    )
    expect(renderToStaticMarkup(<Changes before="runs daily at noon" after="runs at noon" />)).toBe('runs <del>daily</del> at noon')
  })
})
