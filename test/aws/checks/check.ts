import type { Desk } from './desk.ts'

/** What we assume of AWS, and only AWS can settle. */
export interface Check {
  readonly name: string
  /** What is seen when it is as we assume. */
  readonly expected: string
  /** The page that says so; undefined: none does. */
  readonly source: string | undefined
  /** The file of ours that relies on it. */
  readonly reliesOn: string
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

const AT_ONCE = 8

/** Runs all, some at once: most of them wait. */
export async function runChecks(desk: Desk, checks: readonly Check[]): Promise<Seen[]> {
  const waiting = checks.entries()
  const all: Seen[] = []
  const lane = async (): Promise<void> => {
    for (const [nth, check] of waiting) {
      all[nth] = await check.run(desk).then(
        (seen) => ({ check, seen }),
        (error: unknown) => ({ check, seen: undefined, failed: String(error) }),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return all
}

/** @param known why it does no harm that the engine does otherwise */
export function toLine(one: Seen, known?: string): string {
  const { check, seen, failed } = one
  if (isSame(one)) return `same       ${check.name}: ${check.expected}`
  const instead = seen === undefined ? `not seen: ${failed}` : `seen: ${seen}`
  const why = known ?? `${check.reliesOn}; ${check.source ?? 'no page says it'}`
  return `${known === undefined ? 'OTHERWISE ' : 'known     '} ${check.name}: ${instead}; expected: ${check.expected}\n           ${why}`
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
