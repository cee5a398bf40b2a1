import { expect, it } from 'vitest'
import { linesOf, type Operation } from './book.ts'
import { play } from './play.ts'

const DONE = {
  counter: ['add', 'acknowledge', 'read'],
  register: ['put', 'acknowledge', 'read'],
  token: ['begin', 'end', 'release'],
  stage: ['start', 'complete', 'giveBack', 'acknowledge'],
}
const FIELDS = ['history', 'model', 'key', 'client', 'call', 'return', 'input', 'output']

it('a history has the form that its page describes, and every model', async () => {
  const lines = linesOf(await play(3))
    .trimEnd()
    .split('\n')
  expect(lines.length).toBeGreaterThanOrEqual(200)
  const operations = lines.map((line) => JSON.parse(line) as Operation)
  for (const each of operations) {
    expect(Object.keys(each)).toEqual(FIELDS)
    expect(DONE[each.model]).toContain(each.input['do'])
    // An open end has no outcome, an outcome has its time.
    expect(each.return === null).toBe(each.output === null)
    expect(each.return ?? Infinity).toBeGreaterThan(each.call)
  }
  expect(new Set(operations.map(({ model }) => model))).toEqual(new Set(Object.keys(DONE)))
  expect(operations.some((each) => each.return === null)).toBe(true)
  const times = operations.flatMap((each) => [each.call, each.return ?? []].flat())
  expect(new Set(times).size).toBe(times.length)
})
