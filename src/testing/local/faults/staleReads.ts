import { tableNameIn } from '../engines/dynamodb/table.ts'
import {
  type DescribeCall,
  type ItemAddress,
  itemId,
  addressFrom,
  type KeyNames,
  writtenItems,
} from './items.ts'
import type { ItemAttributes } from './operation.ts'
import {
  numberOfCall,
  currentInvocation,
  type LocalInvocation,
  isTerminated,
} from './invocation.ts'
import { stalenessOf } from './faults.ts'
import { actionOf, type SdkAnswer, type SdkMiddleware } from '../sdk/instrument.ts'

/** An item's content until a point in time, by `performance.now()`. */
interface Version {
  readonly until: number
  readonly item: ItemAttributes | undefined
}

interface ReadInput {
  readonly TableName?: string
  readonly Key?: ItemAttributes
  readonly ConsistentRead?: boolean
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys?: readonly ItemAttributes[]; readonly ConsistentRead?: boolean }>
  >
}

/** A time: before the last write. */
const LAST_WRITE = Number.POSITIVE_INFINITY

/** DynamoDB documents no limit, but calls one second usual. */
const LONGEST_MS = 1_000

/**
 * Eventually consistent reads show items as they were up to a second earlier (HowItWorks.ReadConsistency.html): GetItem,
 * BatchGetItem, Query and Scan. Query and Scan do not show items that have left an index since. Only writes of handlers whose
 * mapping has this fault are remembered.
 * @param readNow a consistent read that no fault affects
 */
export function staleReads(
  keyNames: KeyNames,
  describe: DescribeCall,
  readNow: (item: ItemAddress) => Promise<ItemAttributes | undefined>,
): SdkMiddleware {
  const versions = new Map<string, Version[]>()

  async function remember(items: readonly (ItemAddress | undefined)[]): Promise<void> {
    await Promise.all(
      items.map(async (item) => {
        if (item === undefined) return
        const before = await readNow(item)
        const now = performance.now()
        const recent = (versions.get(itemId(item)) ?? []).filter(
          ({ until }) => until > now - 2 * LONGEST_MS,
        )
        versions.set(itemId(item), [...recent, { until: now, item: before }])
      }),
    )
  }

  /** Undefined when the item has not changed since. */
  const versionAt = (item: ItemAddress, time: number): Version | undefined =>
    time === LAST_WRITE
      ? versions.get(itemId(item))?.at(-1)
      : versions.get(itemId(item))?.find(({ until }) => until > time)

  return (next, context) => async (call) => {
    const invocation = currentInvocation()
    if (invocation === undefined) return next(call)
    if (!invocation.faults.staleRead && !invocation.expects('staleRead')) return next(call)
    await invocation.untilThawed()
    if (isTerminated(invocation)) return next(call)
    const action = actionOf(context)
    const written = writtenItems(action, call.input, keyNames)
    if (action !== 'TransactGetItems') await remember(written)
    const answer = await next(call)
    const number = numberOfCall(invocation, context)
    if (!READS.includes(action)) return answer
    const share = stalenessOf(invocation.faults, invocation.number, number)
    const drawn =
      share === undefined
        ? answer
        : asOf(action, call.input, answer, performance.now() - share * LONGEST_MS)
    const shown = drawn === answer ? struck(invocation, number, action, call.input, answer) : drawn
    if (shown !== answer) invocation.injected('staleRead', { call: number, attempt: 0 })
    return shown
  }

  /** Before the last write that is remembered, however long ago: a replay has other times than its run. */
  function struck(
    invocation: LocalInvocation,
    call: number,
    action: string,
    input: ReadInput,
    answer: SdkAnswer,
  ): SdkAnswer {
    const stale = asOf(action, input, answer, LAST_WRITE)
    if (stale === answer) return answer
    const place = { call, action, describe: () => describe(action, input) }
    return invocation.struckBy(['staleRead'], place) === undefined ? answer : stale
  }

  function asOf(action: string, input: ReadInput, answer: SdkAnswer, time: number): SdkAnswer {
    if (action === 'BatchGetItem') return manyAsOf(input, answer, time)
    const table = tableNameIn(input.TableName ?? '')
    if (input.ConsistentRead === true) return answer
    if (action !== 'GetItem') return foundAsOf(table, answer, time)
    const version = versionAt({ table, key: input.Key ?? {} }, time)
    if (version === undefined) return answer
    const { Item: _, ...output } = answer.output as { readonly Item?: ItemAttributes }
    return { ...answer, output: { ...output, ...(version.item && { Item: version.item }) } }
  }

  function manyAsOf({ RequestItems = {} }: ReadInput, answer: SdkAnswer, time: number): SdkAnswer {
    const output = answer.output as {
      readonly Responses?: Readonly<Record<string, readonly ItemAttributes[]>>
    }
    let isChanged = false
    const Responses = { ...output.Responses }
    for (const [name, { Keys = [], ConsistentRead }] of Object.entries(RequestItems)) {
      if (ConsistentRead === true) continue
      const table = tableNameIn(name)
      const old = new Map(
        Keys.flatMap((key) => {
          const version = versionAt({ table, key }, time)
          return version === undefined ? [] : [[itemId({ table, key }), version.item] as const]
        }),
      )
      if (old.size === 0) continue
      isChanged = true
      const unchanged = (Responses[name] ?? []).filter((item) => !old.has(idIn(table, item)))
      Responses[name] = [...unchanged, ...[...old.values()].filter((item) => item !== undefined)]
    }
    return isChanged ? { ...answer, output: { ...output, Responses } } : answer
  }

  function foundAsOf(table: string, answer: SdkAnswer, time: number): SdkAnswer {
    const output = answer.output as { readonly Items?: readonly ItemAttributes[] }
    let isChanged = false
    const Items = (output.Items ?? []).flatMap((found) => {
      const address = addressFrom(table, found, keyNames)
      const version = address && versionAt(address, time)
      if (version === undefined) return [found]
      isChanged = true
      return version.item === undefined ? [] : [likeIn(found, version.item)]
    })
    return isChanged ? { ...answer, output: { ...output, Items, Count: Items.length } } : answer
  }

  function idIn(table: string, item: ItemAttributes): string {
    const address = addressFrom(table, item, keyNames)
    return address === undefined ? '' : itemId(address)
  }
}

const READS = ['GetItem', 'BatchGetItem', 'Query', 'Scan']

/** Keeps the fields that the index projects. */
function likeIn(found: ItemAttributes, old: ItemAttributes): ItemAttributes {
  return Object.fromEntries(Object.entries(old).filter(([name]) => Object.hasOwn(found, name)))
}
