import { describe, expect, it } from 'vitest'
import { jsonProblem } from '../../../../../src/tools/console/app/dev/drafts.ts'

describe('the problem of a text', () => {
  it.each(['{}', ' [1, "a"] ', '"text"', 'null'])('%s has none', (text) => {
    expect(jsonProblem(text)).toBeUndefined()
  })

  it('has its line and column', () => {
    expect(jsonProblem('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({ line: 3, column: 3 })
  })

  it('is at the end when the text ends too early', () => {
    expect(jsonProblem('{"a": [1,\n 2')).toMatchObject({ line: 2, column: 3 })
  })

  it('does not repeat what was typed, nor the place', () => {
    const { message } = jsonProblem('{"card": 4242 4242}') ?? {}
    expect(message).not.toContain('4242 4242')
    expect(message).not.toMatch(/position|line/)
  })
})
