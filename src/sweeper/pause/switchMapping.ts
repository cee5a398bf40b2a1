import type { Clock } from '../../base/clock.ts'
import type { MappingSwitch } from './mappingClient.ts'

export interface Switching {
  readonly lambda: MappingSwitch
  readonly clock: Clock
  /** For how long a mapping that is busy is tried again, milliseconds. */
  readonly patience: number
}

const FIRST_WAIT = 500
const LONGEST_WAIT = 5_000

/**
 * Enables or disables a mapping. To do it twice changes nothing. While it is being created, updated, enabled or disabled Lambda
 * refuses with 409 (ResourceInUse), so it is tried again.
 * https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
 * @returns `gone`: there is no such mapping any more
 * @throws what the client throws
 */
export async function switchMapping(
  mapping: string,
  to: 'enabled' | 'disabled',
  { lambda, clock, patience }: Switching,
): Promise<'done' | 'gone'> {
  const end = clock.now() + patience
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      await lambda.updateEventSourceMapping({ UUID: mapping, Enabled: to === 'enabled' })
      return 'done'
    } catch (error) {
      if (nameOf(error) === 'ResourceNotFoundException') return 'gone'
      if (!BUSY.has(nameOf(error)) || clock.now() + wait > end) throw error
      await clock.sleep(wait)
    }
  }
}

const BUSY: ReadonlySet<string> = new Set(['ResourceInUseException', 'ResourceConflictException'])

/** Lambda has refused the call for good: the mapping is as it was. After any other error it may have been switched. */
export function isRefused(error: unknown): boolean {
  return /^(AccessDenied|InvalidParameterValue|ResourceInUse|ResourceConflict)/.test(nameOf(error))
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
