import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../../src/tools/cli/commands.ts'
import { actionsOf } from '../../../../src/tools/console/change.ts'
import { commandText } from '../../../../src/tools/operator/item/advise.ts'
import { commandLine } from '../../../../src/tools/operator/text/commandLine.ts'
import { explainRequest, inJson } from '../../../../src/tools/operator/explain/explain.ts'
import { itemKey } from '../../../../src/library/entries/sweeper/address.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { NOW, SAMPLES, SECRET } from './samples.ts'

const HOUR = 3_600_000

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

  const commands = facts.advice.flatMap(({ action, ...rest }) =>
    action === undefined ? [] : [{ action, ...rest }],
  )
  const notes = facts.advice.filter(({ action }) => action === undefined)

  it('is advised in the same words as in print', () => {
    const printed = lines.join('\n')
    for (const { text } of facts.advice) expect(printed).toContain(text)
    const rest = facts.advice.reduce((left, { text }) => left.replace(text, ''), printed)
    expect(rest).not.toContain('lineclear ')
    expect(facts.advice.filter(({ cure }) => cure).length).toBeLessThan(2)
  })

  it('has commands that can be run, and that the console can plan', () => {
    for (const { text, args, action, given } of commands) {
      const typed = args.map((arg) => (typeof arg === 'string' ? arg : arg.before + arg.word))
      expect(text).toContain(commandLine(typed))
      expect(typed.slice(0, 2).join('.')).toContain(action)
      const row = actionsOf(COMMANDS).get(action ?? '')
      const fields = row === undefined ? given : { ...row.arguments, ...row.options }
      expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(given)))
      const values = Object.values(given).flat()
      expect(args).toEqual(expect.arrayContaining(values.filter((value) => value !== true)))
    }
    for (const { args, given, doing, text } of notes) {
      expect([args, given]).toEqual([[], {}])
      expect(text.toLowerCase()).toContain(doing?.toLowerCase())
    }
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

it.each([
  ['an attempt was lost', { 'stage:pay': `open 2 a ${NOW - 3 * HOUR} 0` }],
  ['a retry was due', { 'stage:pay': `retry 2 a ${NOW - 3 * HOUR} 1 sent` }],
])('a run of which %s three hours ago is not left to itself', (_, stage) => {
  const [lost] = SAMPLES.flow.lost
  const item = { ...lost, ...stage }
  const [part] = explainRequest({ pk: itemKey(item).pk, items: [item] }, NOW)
  const text = part?.lines.join('\n')
  expect(text).toMatch(/3 hours ago, and nothing has continued it/)
  expect(text).not.toMatch(/nothing to do/i)
})

describe('an awaited step whose run holds the key no more', () => {
  const [idle, [step], [dead]] = [SAMPLES.flow.idle[0], SAMPLES.step.waiting, SAMPLES.deadRun.dead]
  const adviceOf = (...beside: readonly Item[]): string => {
    const { pk } = itemKey(step)
    const parts = explainRequest({ pk, items: [idle, step, ...beside] }, NOW)
    return parts
      .flatMap(({ facts: { kind, advice } }) => (kind === 'step' ? advice : []))
      .map(({ text }) => text)
      .join('\n')
  }

  it.each([
    ['is dead', [dead], /^its run is dead, .* lineclear dlq redrive --all --id r1$/],
    [
      'was given up without a dead letter',
      [{ ...dead, 'stage:pay': 'dead 2 abandoned' }],
      /^its run is dead, .*\nto look for it: lineclear dlq peek --id r1\n/,
    ],
    ['was reset', [], /^closed: /],
  ])('its run %s', (_, beside, expected) => {
    const text = adviceOf(...beside)
    expect(text).toMatch(expected)
    expect(text).not.toMatch(/nothing to do|lineclear decide/)
  })

  it('does not say that it waits, and names its timeout', () => {
    const { pk } = itemKey(step)
    const text = explainRequest({ pk, items: [idle, step, dead] }, NOW)[1]?.lines.join('\n')
    expect(text).toMatch(/^its timeout is .*: 0 of 1 required answers received/)
    expect(text).not.toContain('waits')
  })

  it('waits on if it was reopened', () => {
    const { pk } = itemKey(step)
    const items = [idle, { ...step, reopened: true }, dead]
    const text = explainRequest({ pk, items }, NOW)[1]?.lines.join('\n')
    expect(text).toContain('nothing to do, its answer or its timeout continues the flow')
  })
})

it('a delayed message that the sweeper should have sent long ago is not left to itself', () => {
  const [due] = SAMPLES.delayed.due
  const item = { ...due, due: NOW - HOUR, dueAt: NOW - HOUR }
  const [part] = explainRequest({ pk: itemKey(item).pk, items: [item] }, NOW)
  expect(part?.lines.join('\n')).toContain(
    'next: the sweeper should have sent it: lineclear sweep --apply',
  )
})

it('a queue whose name looks like an option stands behind the options', () => {
  const options = { all: true, id: '-r1' } as const
  expect(commandText({ action: 'dlq.discard', positionals: { queue: '-q' }, options })).toBe(
    'lineclear dlq discard --all --id=-r1 -- -q',
  )
})
