import { isDelayedKey } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { notKnown } from '../../../library/protocol/store/format.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import { commandText, decideCommand } from '../item/advise.ts'
import { is } from '../plan/applyPlan.ts'
import { displayId } from '../text/itemId.ts'
import { blanked, dropped, ERASED, erasing, type Judged, left, operatorReason } from './judged.ts'
import { judgeFlow } from './judgeFlow.ts'
import { judgeToken } from './judgeToken.ts'

/** Everything that is stored under one id: what is taken out, in this order, and what is left. */
export function judgePartition(
  items: readonly Item[],
  { now, hasObjects }: { readonly now: number; readonly hasObjects: boolean },
): readonly Judged[] {
  const newer = items.find((item) => notKnown(item) !== undefined)
  if (newer !== undefined) return [left(itemKey(newer), 'a newer version has written it')]
  const strange = items.filter((item) => !isKnown(itemKey(item)))
  const known = items.filter((item) => !strange.includes(item))
  const { pk } = itemKey(known[0] ?? {})
  const judged = pk.startsWith('flow#')
    ? judgeFlow(known, now)
    : pk.startsWith('lock#') || pk.startsWith('key#')
      ? judgeToken(known, now, hasObjects)
      : known.flatMap((item) => judgeRow(item) ?? [])
  // @protects a row that is not known is not said to hold nothing
  // @without judged @tests test/tools/operator/forget
  return [
    ...judged,
    ...strange.map((item) => left(itemKey(item), 'this version does not know what it is')),
  ]
}

const KINDS: readonly (readonly [pk: string, sks: readonly string[]])[] = [
  ['flow#', ['stage', 'answer', 'await', 'dead', 'done']],
  ['lock#', ['token', 'result']],
  ['key#', ['token', 'result']],
  ['once#', ['once']],
  ['later#', ['later']],
]

function isKnown({ pk, sk }: StoreKey): boolean {
  const [kind = ''] = sk.split('#')
  return KINDS.some(([start, sks]) => pk.startsWith(start) && sks.includes(kind))
}

/** A row that stands alone. @returns undefined: there is nothing to take out of it */
export function judgeRow(item: Item): Judged | undefined {
  const key = itemKey(item)
  if (notKnown(item) !== undefined) return left(key, 'a newer version has written it')
  if (isDelayedKey(key.pk)) return judgeDelayed(item)
  if (key.pk.startsWith('once#')) return judgeOnce(item)
  if (key.pk.startsWith('discarded#')) {
    const erased = { what: ['dead letter'], set: { restored: true }, remove: ['text', 'parts'] }
    return erasing(key, [{ exists: 'text' }], [item['text'] === undefined ? undefined : erased])
  }
  if (key.pk.startsWith('audit#')) return judgeAudit(item)
  if (key.pk === 'circuits')
    return erasing(key, asRead(item, ['id', 'error']), [blanked(item, 'error')])
  return erasing(key, asRead(item, ['id', 'why']), [blanked(item, 'why')])
}

function judgeDelayed(item: Item): Judged | undefined {
  const key = itemKey(item)
  if (item['st'] === 'due') {
    const drop = commandText(decideCommand(displayId(key.pk), 'drop'))
    return left(key, `it is a message that is not sent yet. If it is not to be sent: ${drop}`)
  }
  return erasing(key, asRead(item, ['st']), [dropped(item, 'message'), operatorReason(item)])
}

/** What a caller gave to `acquire` is kept beside these. */
const OF_ONCE: ReadonlySet<string> = new Set([
  'pk',
  'sk',
  'format',
  'ttl',
  'created',
  'acquiredBy',
  'status',
  'statusShard',
  'dueAt',
  'letter',
  'payloadHash',
  'queued',
  'operatorDid',
  'operatorBy',
  'operatorAt',
  'operatorWhy',
])

function judgeOnce(item: Item): Judged | undefined {
  const key = itemKey(item)
  if (item['letter'] !== undefined)
    return left(key, 'its event is not queued yet: the sweeper queues it')
  const own = Object.keys(item).filter((name) => !OF_ONCE.has(name))
  const where = [...asRead(item, ['acquiredBy']), { absent: 'letter' } as const]
  return erasing(key, where, [...own.map((name) => dropped(item, name)), operatorReason(item)])
}

/** Who did what, when and to which id stays. */
function judgeAudit(item: Item): Judged | undefined {
  const { why, result } = item
  const isFailed =
    typeof result === 'string' && result.startsWith(FAILED) && result !== FAILED + ERASED
  return erasing(itemKey(item), asRead(item, ['why', 'result']), [
    blanked({ why: why ?? ERASED }, 'why'),
    isFailed ? { what: ['error'], set: { result: FAILED + ERASED } } : undefined,
  ])
}

const FAILED = 'failed: '

function asRead(item: Item, names: readonly string[]) {
  return names.map((name) => {
    const value = item[name]
    return value === undefined || typeof value === 'object'
      ? ({ absent: name } as const)
      : is(name, value)
  })
}
