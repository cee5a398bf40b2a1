import type { WireItem } from '../../../../library/base/limits/wireValue.ts'
import { type BoundExpressions, bind, type Texts } from './expressions/bind.ts'
import { resolve } from './expressions/path.ts'
import { breaksRule, invalid, invalidValue, requiredMember } from './values/refusal.ts'
import { type Index, type Key, pick, readItemKey, wireItemSize } from './schema.ts'
import {
  type EngineTable,
  findTable,
  type Tables,
  charge,
  heldBy,
  type Meter,
  readUnits,
  hashOf,
  idIn,
  type View,
} from './table.ts'
import { projected } from './read.ts'
import { ownAttribute, readItem, typeOf } from './values/value.ts'

export interface PageRequest extends Texts {
  readonly TableName?: string
  readonly IndexName?: string
  readonly ConsistentRead?: boolean
  readonly ExclusiveStartKey?: unknown
  readonly Limit?: number
  readonly ScanIndexForward?: boolean
  readonly Segment?: number
  readonly Select?: string
  readonly TotalSegments?: number
}

/** What a request reads from: the table, or one of its indexes. */
interface Target {
  readonly table: EngineTable
  readonly view: View
  readonly index: Index | undefined
  readonly start: WireItem | undefined
  readonly bound: BoundExpressions
}

const PAGE_BYTES = 1_048_576
/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html */
const MOST_SEGMENTS = 1_000_000

export function query(tables: Tables, request: PageRequest, meter: Meter): object {
  const target = targetOf(tables, request)
  const { view, start, bound } = target
  const condition = requiredMember(bound.KeyConditionExpression, 'keyConditionExpression')
  const id = partitionIn(view.key, bound)
  const isAsked = (item: WireItem): boolean => condition.test({ ...bound.scope, item })
  if (start && idIn(start, view.key[0]) !== id) {
    throw invalid(
      'The provided starting key is outside query boundaries based on provided conditions',
    )
  }
  if (start && !isAsked(start)) {
    throw invalid('The provided starting key does not match the range key predicate')
  }
  const items = view.partition(id).filter(isAsked)
  const isForward = request.ScanIndexForward ?? true
  const ordered = isForward ? items : items.toReversed()
  const compare = (one: WireItem, other: WireItem): number =>
    isForward ? view.compare(one, other) : view.compare(other, one)
  // The item of the start may be gone.
  const left = start ? ordered.filter((item) => compare(item, start) > 0) : ordered
  return page(target, request, left, meter)
}

/** The id of the partition that a query asks for. @throws Refusal when its conditions are not those of a key */
function partitionIn(
  [hash, range]: Key,
  { KeyConditionExpression: given, scope }: BoundExpressions,
): string {
  let id: string | undefined
  const seen = new Set<string>()
  for (const one of given?.conjuncts ?? []) {
    const name = one && String(resolve(one.path, scope)[0])
    const part = [hash, range].find((each) => each?.name === name)
    if (one === undefined || one.sign === '<>' || one.sign === 'contains') {
      throw invalid('Invalid operator used in KeyConditionExpression')
    }
    if (part === undefined) {
      const missing = id === undefined || range === undefined ? hash : range
      throw invalid(`Query condition missed key schema element: ${missing.name}`)
    }
    if (seen.has(part.name)) {
      throw invalid('KeyConditionExpressions must only contain one condition per key')
    }
    seen.add(part.name)
    const values = one.values.map((value) => value({ ...scope, item: undefined }) ?? {})
    if (values.some((value) => typeOf(value) !== part.type)) {
      throw invalidValue('Condition parameter type does not match schema type')
    }
    if (part !== hash) continue
    if (one.sign !== '=') throw invalid('Query key condition not supported')
    id = idIn({ [hash.name]: values[0] ?? {} }, hash)
  }
  if (id !== undefined) return id
  throw invalid(`Query condition missed key schema element: ${hash.name}`)
}

export function scan(tables: Tables, request: PageRequest, meter: Meter): object {
  refuseHalf(request)
  const { Segment = 0, TotalSegments = 1 } = request
  if (Segment >= TotalSegments) {
    throw invalid(
      `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${Segment} is not less than TotalSegments: ${TotalSegments}`,
    )
  }
  if (TotalSegments > MOST_SEGMENTS) {
    throw breaksRule(
      `Value '${TotalSegments}' at 'totalSegments'`,
      `Member must have value less than or equal to ${MOST_SEGMENTS}`,
    )
  }
  const target = targetOf(tables, request)
  return page(target, request, scanned(target, Segment, TotalSegments), meter)
}

/** A program that gives no segment reads all of them, as often as it has workers. */
function refuseHalf({ Segment, TotalSegments }: PageRequest): void {
  if ((Segment === undefined) === (TotalSegments === undefined)) return
  throw invalid(
    Segment === undefined
      ? 'The Segment parameter is required but was not present in the request when parameter TotalSegments is present'
      : 'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
  )
}

function* scanned(
  { view, start }: Target,
  segment: number,
  of: number,
): Generator<WireItem, void, void> {
  const from = start === undefined ? '' : hashOf(idIn(start, view.key[0]))
  for (const { hash, items } of view.partitions()) {
    if (hash < from || Number.parseInt(hash.slice(0, 8), 16) % of !== segment) continue
    yield* hash === from && start ? items.filter((item) => view.compare(item, start) > 0) : items
  }
}

function targetOf(tables: Tables, request: PageRequest): Target {
  const bound = bind(request)
  const table = findTable(tables, request.TableName)
  const { IndexName: name } = request
  const { index, view } = name === undefined ? { ...table, index: undefined } : table.index(name)
  if (index?.isGlobal && request.ConsistentRead) {
    throw invalid('Consistent reads are not supported on global secondary indexes')
  }
  checkSelect(request, index)
  if (bound.KeyConditionExpression) refuseKeyFilter(view, bound)
  const { ExclusiveStartKey: from } = request
  return { table, view, index, bound, start: from ? startOf(table, index, from) : undefined }
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html */
function checkSelect(
  { Select, ProjectionExpression }: PageRequest,
  index: Index | undefined,
): void {
  if (Select === undefined) return
  if (Select !== 'SPECIFIC_ATTRIBUTES' && ProjectionExpression !== undefined) {
    throw invalid(`Cannot specify the ProjectionExpression when choosing to get ${Select}`)
  }
  if (Select === 'SPECIFIC_ATTRIBUTES' && ProjectionExpression === undefined) {
    throw invalid(
      'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
    )
  }
  if (Select === 'ALL_PROJECTED_ATTRIBUTES' && index === undefined) {
    throw invalidValue('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName')
  }
  if (Select === 'ALL_ATTRIBUTES' && index?.isGlobal && index.holds !== undefined) {
    throw invalidValue(
      `Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
    )
  }
}

function refuseKeyFilter(
  { key }: View,
  { FilterExpression: filter, scope }: BoundExpressions,
): void {
  for (const one of filter?.conjuncts ?? []) {
    const name = one && resolve(one.path, scope)[0]
    if (!key.some((part) => part.name === name)) continue
    throw invalid(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
    )
  }
}

function startOf(table: EngineTable, index: Index | undefined, given: unknown): WireItem {
  if (index === undefined) return readItemKey(table.schema, given)
  const start = readItem(given)
  const parts = [...table.schema.key, ...index.key]
  const fits = parts.every(({ name, type }) => typeOf(ownAttribute(start, name) ?? {}) === type)
  const names = new Set(parts.map(({ name }) => name))
  if (fits && Object.keys(start).length === names.size) return start
  throw invalid('The provided starting key is invalid')
}

/** Reads up to the limit, or up to 1 MB, and then filters. */
function page(
  { table, index, bound }: Target,
  request: PageRequest,
  items: Iterable<WireItem>,
  meter: Meter,
): object {
  const { Limit = Infinity, Select, ConsistentRead = false } = request
  const { FilterExpression: filter, scope } = bound
  if (Limit < 1) {
    throw breaksRule("Value at 'limit'", 'Member must have value greater than or equal to 1')
  }
  const found: WireItem[] = []
  let [looked, bytes, last, isCut] = [0, 0, undefined as WireItem | undefined, false]
  for (const whole of items) {
    const item = heldBy(whole, index?.holds)
    isCut = looked > 0 && bytes + wireItemSize(item) > PAGE_BYTES
    if (isCut) break
    looked += 1
    bytes += wireItemSize(item)
    last = whole
    if (filter?.test({ ...scope, item }) ?? true) found.push(projected(item, bound))
    isCut = looked >= Limit
    if (isCut) break
  }
  charge(meter, table, readUnits(bytes, ConsistentRead))
  const LastEvaluatedKey =
    isCut && last
      ? { ...pick(last, table.schema.key), ...(index && pick(last, index.key)) }
      : undefined
  const counts = { Count: found.length, ScannedCount: looked, LastEvaluatedKey }
  return Select === 'COUNT' ? counts : { Items: found, ...counts }
}
