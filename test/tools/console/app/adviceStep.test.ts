import { describe, expect, it } from 'vitest'
import { adviceStep } from '../../../../src/tools/console/app/parts/adviceStep.ts'
import { filledIn } from '../../../../src/tools/console/app/parts/plans.ts'
import type { Advice } from '../../../../src/tools/operator/item/advice.ts'
import { COMMANDS } from '../../../../src/tools/cli/commands.ts'
import { actionsOf } from '../../../../src/tools/console/change.ts'

const attribute = { ask: 'attribute', word: 'ATTRIBUTE', before: '' } as const
const answer = (before: string) => ({ ask: 'answer', word: 'JSON', before }) as const

describe('advice', () => {
  it.each<[string, Pick<Advice, 'action' | 'given'>, string, object]>([
    [
      'explain',
      { action: 'explain', given: { id: 'a/1', request: 'r' } },
      '/request',
      { id: 'a/1', request: 'r' },
    ],
    [
      'ls',
      { action: 'ls', given: { flow: 'f', status: 'dead,error', due: true } },
      '/tasks',
      { consumer: 'f', status: ['dead', 'error'], due: '1' },
    ],
    [
      'dlq peek',
      { action: 'dlq.peek', given: { queue: 'q', group: 'g', body: true } },
      '/letters',
      { queue: 'q', group: 'g' },
    ],
    [
      'dlq groups --per',
      { action: 'dlq.groups', given: { queue: 'q', per: attribute } },
      '/letters',
      { queue: 'q', per: 'MessageGroupId' },
    ],
  ])('to %s leads to a page', (_, advice, path, query) => {
    expect(adviceStep(advice)).toMatchObject({ kind: 'page', path, query })
  })

  it('to change something keeps every argument', () => {
    const given = { queue: 'orders-dead', id: ['1', '2'], all: true } as const
    expect(adviceStep({ action: 'dlq.redrive', given })).toEqual({
      kind: 'change',
      intent: { action: 'dlq.redrive', given, title: 'Send its dead letter back' },
    })
    const titles = [{ count: 6, to: 'orders' }, { count: 1 }, { count: undefined }].map(
      (letters) => {
        const step = adviceStep({ action: 'dlq.redrive', given }, letters)
        return step.kind === 'change' && step.intent.title
      },
    )
    expect(titles).toEqual([
      'Send 6 dead letters to orders',
      'Send 1 dead letter back',
      'Send all dead letters back',
    ])
  })

  it('asks for what only the person knows, and never fills it in', () => {
    const step = adviceStep({
      action: 'decide',
      given: { id: 'a/1', decision: 'again', made: answer('charge='), notDone: 'mail' },
    })
    if (step.kind !== 'change') throw new Error('expected a change')
    expect(step.intent.given).toEqual({ id: 'a/1', decision: 'again', notDone: 'mail' })
    expect(filledIn(step.intent, {})).toHaveProperty('wrong')
    expect(filledIn(step.intent, { 0: 'no json' })).toHaveProperty('wrong')
    expect(filledIn(step.intent, { 0: '{"ok":true}' })).toEqual({
      given: { id: 'a/1', decision: 'again', notDone: 'mail', made: { charge: { ok: true } } },
    })
  })

  it('without a command is a note', () => {
    expect(adviceStep({ action: undefined, given: {} })).toEqual({ kind: 'note' })
  })
})

it('every change that is advised is one that the server knows', () => {
  const advised = ['decide', 'dlq.redrive', 'sweep', 'resume']
  const actions = actionsOf(COMMANDS)
  expect(advised.filter((name) => !actions.has(name))).toEqual([])
})
