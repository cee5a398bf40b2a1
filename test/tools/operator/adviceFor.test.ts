import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { adviceLines } from '../../../src/tools/operator/item/advise.ts'
import { isCuredByRedrive } from '../../../src/tools/operator/item/advice.ts'
import { adviceFor } from '../../../src/tools/operator/item/adviceFor.ts'

const REDRIVE = 'lineclear dlq redrive dead --group 1a2b'
const PEEK = 'lineclear dlq peek dead --group 1a2b --body'
const DISCARD = 'lineclear dlq discard dead --group 1a2b'

it.for([
  ['exhausted', true, REDRIVE, ''],
  ['moved', true, REDRIVE, 'lineclear doctor --queue QUEUE'],
  ['none', true, REDRIVE, ''],
  ['abandoned', true, REDRIVE, ''],
  ['too old', true, REDRIVE, DISCARD],
  ['busy', true, REDRIVE, 'until the other request of its key has ended'],
  ['rejected', false, PEEK, 'dlq edit dead --id ID --set'],
  ['terminal', false, PEEK, DISCARD],
  ['conflict', false, PEEK, DISCARD],
  ['unknown', false, PEEK, 'Check the outside system'],
  ['wrong consumer', false, PEEK, `${REDRIVE} --to QUEUE`],
  ['process changed', false, PEEK, `Set process back and deploy, then: ${REDRIVE}`],
  ['unknown stage', false, PEEK, `${REDRIVE} --to QUEUE`],
  ['unknown step', false, PEEK, `set formerNames and deploy, then: ${REDRIVE}`],
  ['not handed on', false, PEEK, `${REDRIVE} --to QUEUE`],
  ['fan-out', false, PEEK, DISCARD],
  ['lost record', false, PEEK, `${REDRIVE} --force`],
  ['lost step', false, PEEK, `${REDRIVE} --force`],
  ['lost answer', false, PEEK, DISCARD],
  ['of a later version', false, PEEK, 'read its error first'],
  ['constructor', false, PEEK, 'read its error first'],
  ['__proto__', false, PEEK, 'read its error first'],
] as const)('a group that is %s', ([reason, redrive, next, afterwards]) => {
  const advice = adviceFor({ reason, queue: 'dead', by: { group: '1a2b' } })
  expect([isCuredByRedrive(reason), advice.next]).toEqual([redrive, next])
  expect(advice.afterwards ?? '').toContain(afterwards)
  // `status` prints one line of it.
  expect(adviceLines(advice.advice.slice(1))).toHaveLength(advice.advice.length > 1 ? 1 : 0)
})

it.for([
  ['terminal', 'ConfigError: BANK_URL is missing', true],
  ['terminal', 'Error: ConfigError: said by a bank', false],
  ['rejected', 'ConfigError: BANK_URL is missing', false],
] as const)('%s with the error %s: the payload is good: %s', ([reason, error, isGood]) => {
  const about = { reason, error, queue: 'dead', by: { group: '1a2b' } } as const
  const { next, afterwards, advice } = adviceFor(about)
  expect(next === REDRIVE).toBe(isGood)
  expect(afterwards === 'its configuration was wrong: mend it, deploy, redrive').toBe(isGood)
  expect(advice.some(({ action }) => action === 'dlq.discard')).toBe(!isGood)
})

it.for([
  ['the body is not JSON (at character 0)', '.=JSON'],
  ['total: expected number', 'PATH=JSON'],
])('a payload that is rejected, because %s, is set as %s', ([said, form]) => {
  const error = `RejectedError: ${said}`
  const about = { reason: 'rejected', error, queue: 'dead', by: { group: '1a2b' } } as const
  const { afterwards } = adviceFor(about)
  expect(afterwards).toContain(`lineclear dlq edit dead --id ID --set ${form}, then redrive it`)
  expect(afterwards).toContain(DISCARD)
})

it.for([
  ['Error: POST <path> answered 429: Rate exceeded', true],
  ['ThrottlingException: Rate exceeded', true],
  ['Error: Too Many Requests', true],
  ['ProvisionedThroughputExceededException: slow', true],
  ['Error: bank: 503 Service Unavailable', false],
  ['Error: order 4290 is closed', false],
  ['Error: line 429 has no price', false],
  ['Error: HTTP 429', true],
] as const)('%s is a refusal for its rate: %s', ([error, isRate]) => {
  const about = { reason: 'exhausted', error, queue: 'dead', by: { group: '1a2b' } } as const
  const { next, afterwards = '', advice } = adviceFor({ ...about, consumer: 'payments' })
  expect(next).toBe(REDRIVE)
  expect(advice[0]?.text.startsWith('after the fix')).toBe(!isRate)
  expect(afterwards.includes('refused for its rate')).toBe(isRate)
  expect(afterwards.includes('lineclear pause --consumer payments --for 15m')).toBe(isRate)
  expect(adviceFor(about).afterwards ?? '').not.toContain('pause')
})

it('every reason of the documents has advice of its own', () => {
  const documents = readFileSync(resolve('src/tools/README.md'), 'utf8')
  const [, rows = ''] = documents.split('## Why a message was dead-lettered')
  const reasons = rows.split('\n## ')[0]?.matchAll(/^- \*\*(`.*?`)\*\*/gm) ?? []
  for (const [, cell = ''] of reasons) {
    for (const [, reason = ''] of cell.matchAll(/`(.*?)`/g)) {
      const { afterwards } = adviceFor({ reason, queue: 'dead', by: { group: '1a2b' } })
      expect([reason, afterwards ?? '']).not.toContainEqual(
        expect.stringContaining('this version does not know'),
      )
    }
  }
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
