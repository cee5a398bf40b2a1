import { describe, expect, it } from 'vitest'
import { ACTIONS } from '../../../../src/ops/console/actions.ts'
import { commandText } from '../../../../src/ops/operator/item/advise.ts'
import { commandLine } from '../../../../src/ops/operator/text/commandLine.ts'
import { explainRequest } from '../../../../src/ops/operator/explain/explain.ts'
import { inJson } from '../../../../src/ops/operator/explain/inJson.ts'
import { itemKey } from '../../../../src/ops/address.ts'
import { NOW, SAMPLES, SECRET } from './samples.ts'

const STATES = Object.entries(SAMPLES).flatMap(([kind, states]) =>
  Object.entries(states).map(([status, items]) => [kind, status, items] as const),
)

describe.each(STATES)('%s that is %s', (kind, status, items) => {
  const { pk } = itemKey(items[0])
  const parts = explainRequest({ pk, items }, NOW, { homeQueue: () => 'orders-dead' })
  const [{ title, lines, facts }] = parts as [(typeof parts)[number]]

  it('has facts of its own', () => {
    expect(facts).toMatchObject({ kind, status, pk, sk: itemKey(items[0]).sk })
    expect(title).not.toBe('')
    expect(lines.length).toBeGreaterThan(0)
  })

  it('is advised in the same words as in print, with arguments that can be run', () => {
    const printed = lines.join('\n')
    for (const { text, args, action, given, doing } of facts.advice) {
      expect(printed).toContain(text)
      if (action === undefined) {
        expect([args, given]).toEqual([[], {}])
        expect(text).toContain(doing)
        continue
      }
      const typed = args.map((arg) => (typeof arg === 'string' ? arg : arg.before + arg.word))
      expect(text).toContain(commandLine(typed))
      const words = action.split('.')
      expect(args.slice(0, words.length)).toEqual(words)
      const { fields = given } = ACTIONS[action]?.form ?? {}
      expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(given)))
      for (const value of Object.values(given).flat()) {
        expect(value === true || args.includes(value as string)).toBe(true)
      }
    }
    expect(facts.advice.filter(({ cure }) => cure).length).toBeLessThan(2)
    const rest = facts.advice.reduce((left, { text }) => left.replace(text, ''), printed)
    expect(rest).not.toContain('lineclear ')
  })

  it('shows nothing of what it holds, in print or in JSON', () => {
    const json = JSON.stringify(parts.map((part) => inJson(part)))
    expect(json).not.toContain(SECRET)
    expect(json).not.toMatch(/NaN|Invalid/)
  })

  it('has times as ISO 8601 in JSON', () => {
    const numbers: string[] = []
    JSON.stringify(inJson(facts), (name, value: unknown) => {
      if (typeof value === 'number' && value > 1e11) numbers.push(name)
      return value
    })
    expect(numbers).toEqual([])
  })
})

it('a queue whose name looks like an option stands behind the options', () => {
  const options = { all: true, id: '-r1' } as const
  expect(commandText({ action: 'dlq.discard', positionals: { queue: '-q' }, options })).toBe(
    'lineclear dlq discard --all --id=-r1 -- -q',
  )
})
