import { expect, it } from 'vitest'
import { adviceFor } from '../../../src/tools/operator/item/adviceFor.ts'

it.for([
  ['exhausted', true, 'lineclear dlq redrive dead --group 1a2b', ''],
  ['moved', true, 'lineclear dlq redrive dead --group 1a2b', ''],
  ['rejected', false, 'lineclear dlq peek dead --group 1a2b --body', 'dlq edit dead --id ID --set'],
  [
    'terminal',
    false,
    'lineclear dlq peek dead --group 1a2b --body',
    'dlq discard dead --group 1a2b',
  ],
  [
    'conflict',
    false,
    'lineclear dlq peek dead --group 1a2b --body',
    'dlq discard dead --group 1a2b',
  ],
  ['unknown', false, 'lineclear dlq peek dead --group 1a2b --body', 'Check the outside system'],
] as const)('a group that is %s', ([reason, redrive, next, afterwards]) => {
  const advice = adviceFor({ reason, queue: 'dead', by: { group: '1a2b' } })
  expect(advice).toMatchObject({ redrive, next })
  expect(advice.afterwards ?? '').toContain(afterwards)
})

it('one of a queue that is not known, with a hostile id', () => {
  const by = { id: "x'; rm -r ~" }
  const word = String.raw`--id 'x'\''; rm -r ~'`
  expect(adviceFor({ reason: 'exhausted', queue: undefined, by }).next).toBe(
    `lineclear dlq redrive --all ${word}`,
  )
  const { next, afterwards } = adviceFor({ reason: 'rejected', queue: undefined, by })
  expect(next).toBe(`lineclear dlq peek ${word} --body`)
  expect(afterwards).toContain(`lineclear dlq edit QUEUE ${word} --set PATH=JSON`)
  expect(afterwards).toContain(`lineclear dlq discard --all ${word}`)
})

it('one whose outcome is unknown is explained', () => {
  const of = { reason: 'unknown', queue: 'dead', by: { group: '1a2b' }, request: 'mails/m 1' }
  expect(adviceFor(of).next).toBe("lineclear explain 'mails/m 1'")
})
