import { arrivalsOf } from '../dlq/bound.ts'
import { adviceFor } from '../item/adviceFor.ts'
import { type NextStep, nextStep } from '../item/advise.ts'
import type { LetterSample, StatusFinding } from './finding.ts'
import type { LetterFinding } from './queueStatus.ts'
import type { Retrying } from './tableStatus.ts'

/**
 * One finding for each cause: a bad deployment that fills three dead-letter queues is one problem, with one next step. What is tried
 * again with the same error shows that it fails at this moment.
 */
export function joinCauses(
  findings: readonly (StatusFinding | LetterFinding)[],
  retrying: readonly Retrying[],
  now: number,
): readonly StatusFinding[] {
  const failing = new Map(retrying.map(({ error, number }) => [error, number]))
  const parked = new Set(
    findings.flatMap(({ cause, severity }) => (severity === 'bad' ? (cause?.error ?? []) : [])),
  )
  const sampled = new Set(
    findings.flatMap((each) => (isOfLetters(each) && each.atLeast ? (each.cause?.name ?? []) : [])),
  )
  const groups = Map.groupBy(findings, (each) => nameOf(each, sampled))
  return [...groups.values()].flatMap((group): readonly StatusFinding[] => {
    const [first] = group
    if (first === undefined) return []
    const { cause, kind } = first
    if (kind === 'retrying' && cause !== undefined && parked.has(cause.error)) return []
    const number = cause && kind !== 'retrying' ? failing.get(cause.error) : undefined
    const joined = withTimes(group.length === 1 ? first : joinAll(first, group), now)
    return [{ ...joined, ...(number !== undefined && { retrying: number }) }]
  })
}

/** A record whose dead letter was not read is one problem with the sample of dead letters that was. */
const WITH_LETTERS: ReadonlySet<StatusFinding['kind']> = new Set([
  'dead letters',
  'stopped',
  'dead',
])

function nameOf(finding: StatusFinding, sampled: ReadonlySet<string>): string | StatusFinding {
  const { kind, cause } = finding
  if (cause === undefined) return finding
  return JSON.stringify([
    WITH_LETTERS.has(kind) && sampled.has(cause.name) ? 'dead letters' : kind,
    kind === 'retrying' ? cause.error : cause.name,
  ])
}

function joinAll(
  first: StatusFinding,
  group: readonly (StatusFinding | LetterFinding)[],
): StatusFinding | LetterFinding {
  const letters = group.filter(isOfLetters)
  const shown = letters.length > 0 ? letters : group
  const times = letters.flatMap((each) => each.times)
  return {
    ...(letters[0] ?? first),
    of: listOf(shown.map(({ of }) => of)),
    number: group.reduce((sum, { number }) => sum + number, 0),
    atLeast: group.some(({ atLeast }) => atLeast),
    since: endOf(
      Math.min,
      group.map(({ since }) => since),
    ),
    newest: endOf(
      Math.max,
      group.map(({ newest, since }) => newest ?? since),
    ),
    versions: [...new Set(group.flatMap(({ versions = [] }) => versions))],
    records: group.flatMap((each) => each.records ?? []),
    ...sampleOf(letters),
    what: textOf(first, letters),
    ...(letters.length > 0 && { times, tenantOf: letters.flatMap((each) => each.tenantOf) }),
    ...nextOf(first, letters),
  }
}

/** The sum over its queues, each once: a queue may have several groups of one cause. */
function sampleOf(letters: readonly LetterFinding[]): Pick<StatusFinding, 'sample'> {
  const samples = [...new Map(letters.map(({ of, sample }) => [of, sample])).values()]
  const some = samples.filter((each) => each !== undefined)
  if (some.length === 0) return {}
  const sum = (part: keyof LetterSample): number => some.reduce((all, each) => all + each[part], 0)
  return { sample: { read: sum('read'), of: sum('of') } }
}

function isOfLetters(finding: StatusFinding | LetterFinding): finding is LetterFinding {
  return 'times' in finding
}

function textOf({ what, cause }: StatusFinding, letters: readonly LetterFinding[]): string {
  if (cause === undefined || letters.length === 0) return what
  return `${cause.reason} of ${listOf(letters.map(({ origin }) => origin))}: ${cause.error}`
}

function nextOf(
  { kind, cause, next, advice }: StatusFinding,
  letters: readonly LetterFinding[],
): NextStep {
  if (cause === undefined) return { next, advice }
  const queues = new Set(letters.map(({ of }) => of))
  const [queue] = queues
  if (queue === undefined)
    return nextStep({ action: 'ls', options: { status: STATUS[kind] ?? '' } })
  const consumers = new Set(letters.map(({ consumer }) => consumer))
  const groups = new Set(letters.map(({ group }) => group))
  const group = groups.size === 1 ? [...groups][0] : undefined
  return adviceFor({
    reason: cause.reason,
    error: cause.error,
    queue: queues.size === 1 ? queue : undefined,
    by: { group: group ?? cause.name },
    consumer: consumers.size === 1 ? [...consumers][0] : undefined,
  })
}

const STATUS: Readonly<Partial<Record<StatusFinding['kind'], string>>> = {
  'unknown outcome': 'unknown',
  'no dead letter': 'error,dead',
  stopped: 'error,dead',
  dead: 'error,dead',
  retrying: 'inProgress',
}

/** How long it looks back, milliseconds: the words say so, too. */
const LATELY = 10 * 60_000

/** The times of all its dead letters become what can be said of them. */
function withTimes(finding: StatusFinding | LetterFinding, now: number): StatusFinding {
  if (!isOfLetters(finding)) return finding
  const { times, tenantOf, origin: _origin, consumer: _consumer, group: _group, ...rest } = finding
  return {
    ...rest,
    arrivals: arrivalsOf(times),
    ...(tenantOf.length > 0 && { tenants: { looked: times.length, most: largest(tenantOf) } }),
    // None if only some were looked at: the others may be the newest.
    ...(!rest.atLeast && { lately: times.filter((time) => time > now - LATELY).length }),
  }
}

/** The tenants that have most of them. */
function largest(tenantOf: readonly string[]): NonNullable<StatusFinding['tenants']>['most'] {
  return [...Map.groupBy(tenantOf, (tenant) => tenant)]
    .map(([tenant, each]) => ({ tenant, number: each.length }))
    .toSorted((one, other) => other.number - one.number)
    .slice(0, MOST)
}

/** Names, each once; of many the first. */
function listOf(names: readonly string[]): string {
  const each = [...new Set(names)].toSorted()
  return each.length <= MOST
    ? each.join(', ')
    : `${each.slice(0, MOST).join(', ')} and ${each.length - MOST} more`
}

const MOST = 5

function endOf(
  choose: (...times: readonly number[]) => number,
  times: readonly (number | undefined)[],
): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : choose(...known)
}
