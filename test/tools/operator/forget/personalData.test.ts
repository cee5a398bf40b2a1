import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { judgePartition, judgeRow } from '../../../../src/tools/operator/forget/judgeRow.ts'
import { fieldsBelow, KINDS } from '../../../proof/formats/page.ts'

const PAGE = readFileSync(
  new URL('../../../../src/library/protocol/store/formats.md', import.meta.url),
  'utf8',
)
const MARKED = /`([^`]+)`†/g

/** The fields below a heading that the page marks as personal data. */
function markedBelow(heading: string): readonly string[] {
  const [, section = ''] = PAGE.split(`\n### ${heading}`)
  const [rows = ''] = section.split('\n### ')
  return [...rows.matchAll(MARKED)].map(([, name = '']) => name)
}

/**
 * What a field of the table holds in place of personal data. A field that is new has to be put here, or be marked on the page and
 * erased by the code.
 */
const OTHERS: Readonly<Record<string, string>> = {
  identity:
    'pk sk uniquerequestid run queue queueUrl failures function consumer flow dependency externalIds externalId wait:… tenant sent id ids from sentAt by acquiredBy attemptId lockedBy joinedBy',
  'state and marks':
    'format status st attempt attempts final fence applied restored resendNumber confirmed death reason afterLease resultIn process epoch newest waiting dropped ended forgotten last stage:… reopened continuable need count step:… used timeoutSent as statusShard operatorDid state done failed rate forced texts parts',
  'a hash': 'payloadHash payload payloads payload:… fingerprint',
  'a time':
    'ttl dueAt created queued expectedCompletion actualCompletion leaseUntil notBefore since aliveUntil retention due keepFor until probeAt giveUpAt operatorAt at endedAt begun looked found after lastBegun lastEnded lastLooked lastFound',
  'an operator': 'operatorBy resumedBy runner plan action planned args command because why',
}
const OF_OTHERS = new Set(Object.values(OTHERS).flatMap((names) => names.split(' ')))

describe.each(['Every item', ...KINDS.map((kind) => `\`${kind}\`: `)])('%s', (heading) => {
  it('has no field of which it is not known whether it may hold personal data', () => {
    const marked = new Set(markedBelow(heading))
    const names = fieldsBelow(`### ${heading}`).map(({ name }) => name)
    expect(names.filter((name) => !marked.has(name) && !OF_OTHERS.has(name))).toEqual([])
  })
})

const NOW = Date.parse('2026-01-31T12:00:00Z')
const SECRET = 'Jane Doe'
const TOKEN = { pk: 'lock#o/1', sk: 'token', attemptId: 'a', attempt: 1, fence: 1 }
const FLOW = { pk: 'flow#f/k', uniquerequestid: 'r', epoch: 1 }

/** An item of each kind that has ended, without the fields that are marked. */
const ENDED: Readonly<Record<string, Item>> = {
  token: { ...TOKEN, attempts: 1 },
  result: { pk: 'lock#o/1', sk: 'result#a' },
  later: { pk: 'later#m', sk: 'later', st: 'sent' },
  pauses: { pk: 'pauses', sk: 'u', id: 'p' },
  circuits: { pk: 'circuits', sk: 'o', id: 'c' },
  once: { pk: 'once#n/k', sk: 'once', acquiredBy: 'a' },
  answer: { pk: 'flow#f/k', sk: 'answer#r#s:call' },
  await: { ...FLOW, sk: 'await#s#r', need: 1, count: 1, until: 1 },
  given: { pk: 'flow#f/k', sk: 'await#s#r#i#h' },
  dead: { ...FLOW, sk: 'dead#r', fence: 1, continuable: 1 },
  discarded: { pk: 'discarded#7f3a91c2/0', sk: 'm#000' },
  audit: { pk: 'audit#2026-01-30', sk: 'x' },
}
/** Its event is not queued yet: it is left, and goes when it is queued. */
const LEFT = new Set(['once.letter'])

const valueOf = (kind: string, name: string): string =>
  kind === 'token' && name.endsWith(':…')
    ? `done:"${SECRET}"`
    : kind === 'audit' && name === 'result'
      ? `failed: ${SECRET}`
      : SECRET

const rows = KINDS.flatMap((kind) =>
  markedBelow(`\`${kind}\`: `).map((name) => [kind, name] as const),
)

it.each([...rows, ['token', 'operatorWhy'] as const])(
  'of %s the field %s is erased',
  (kind, name) => {
    const field = name.replace('…', 'call')
    const item = { format: 1, ...ENDED[kind], [field]: valueOf(kind, name) } as Item
    const alone = ['pauses', 'circuits', 'discarded', 'audit'].includes(kind)
    const judged = alone
      ? [judgeRow(item)]
      : judgePartition([item], { now: NOW, hasObjects: false })
    const erasures = judged.flatMap((each) => (each?.kind === 'erase' ? each : []))
    const after: Record<string, unknown> = { ...item }
    for (const { update } of erasures) {
      Object.assign(after, update.set)
      for (const each of update.remove ?? []) delete after[each]
    }
    const isSaid = judged.some((each) => each?.kind === 'left')
    expect(JSON.stringify(after).includes(SECRET)).toBe(isSaid)
    expect(isSaid).toBe(LEFT.has(`${kind}.${name}`))
  },
)
