import type { Desk } from './desk.ts'

/** What we assume of AWS, and only AWS can settle. */
export interface Check {
  readonly name: string
  /** What is seen when it is as we assume. */
  readonly expected: string
  /** The page that says so; undefined: none does. */
  readonly source: string | undefined
  /** The room that relies on it. */
  readonly reliesOn: string
  /** What engines of ours do, null when they know no such request, and why that does no harm. */
  readonly otherwise?: Readonly<Record<string, readonly [seen: string | null, why: string]>>
  readonly run: (desk: Desk) => Promise<string>
}

export interface Seen {
  readonly check: Check
  /** Undefined: nothing was seen, because `failed`. */
  readonly seen: string | undefined
  readonly failed?: string
}

export function isSame({ check, seen }: Seen): boolean {
  return seen === check.expected
}

export const LAXER = 'it accepts more than AWS; the local cloud has this rule'

/** As we assume; on an engine of ours, as it is known to do. */
export function isExpected(engine: string, { check, seen }: Seen): boolean {
  const known = check.otherwise?.[engine]
  return (known === undefined ? check.expected : known[0]) === (seen ?? null)
}

const AT_ONCE = 8

/**
 * Runs all, some at once: most of them wait.
 * @param goOn is called before each. @throws what it throws, once those that run have ended
 */
export async function runChecks(
  desk: Desk,
  checks: readonly Check[],
  goOn: () => void,
): Promise<Seen[]> {
  const waiting = checks.entries()
  const all: Seen[] = []
  const lane = async (): Promise<void> => {
    for (const [nth, check] of waiting) {
      goOn()
      all[nth] = await check.run(desk).then(
        (seen) => ({ check, seen }),
        (error: unknown) => ({ check, seen: undefined, failed: String(error) }),
      )
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane))
  for (const one of lanes) if (one.status === 'rejected') throw one.reason
  return all
}

/** One on AWS says as well what engines of ours do instead. */
export function toLine(engine: string, one: Seen): string {
  const { check, seen, failed } = one
  const isGood = isExpected(engine, one)
  const others = Object.entries(check.otherwise ?? {})
    .filter(([name]) => engine === 'aws' || (engine === name && isGood))
    .map(([name, [does, why]]) => `\n           ${name}: ${does ?? 'no such request'}: ${why}`)
  if (isSame(one) && isGood) return [`same       ${check.name}: ${seen}`, ...others].join('')
  const what = `${check.name}: ${seen ?? `not seen: ${failed}`}; expected: ${check.expected}`
  if (isGood) return [`known      ${what}`, ...others].join('')
  const source = `\n           ${check.reliesOn}, ${check.source ?? 'no page says it'}`
  return [`OTHERWISE  ${what}`, source, ...others].join('')
}

/** `accepted`, or the name of the error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? nameOf(error.name) : 'refused'),
  )
}

/** As AWS names it in both of its protocols. */
export function nameOf(code = ''): string {
  return code
    .split('#')
    .at(-1)!
    .replace(/^AWS\.SimpleQueueService\./, '')
}
