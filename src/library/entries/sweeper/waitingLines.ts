import type { Logger } from '../../base/logger.ts'
import type { StoreKey } from '../../protocol/store/store.ts'

/** A line about an item that the next run finds again. */
interface WaitingLine extends StoreKey {
  readonly [field: string]: unknown
}

export interface WaitingLines {
  see(level: 'info' | 'warn' | 'error', message: string, line: WaitingLine): void
  /** Logs each group once: the line of its first item, and with more than one their number, `items`. */
  log(): void
}

interface Group {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly line: WaitingLine
  items: number
}

/**
 * Collects what one run finds waiting. After an incident 10,000 items wait for days: a line for each in each minute were 600 MB a
 * day.
 */
export function collectWaiting(logger: Logger): WaitingLines {
  const groups = new Map<string, Group>()
  return {
    see(level, message, line) {
      const { status, reason } = line
      // @protects a run writes one line for each group that waits, whatever its size
      // @without JSON.stringify(line) @tests test/sweeper/waitingLines
      const name = JSON.stringify([message, ownerOf(line), status, reason])
      const known = groups.get(name)
      if (known === undefined) groups.set(name, { level, message, line, items: 1 })
      else known.items += 1
    },
    log() {
      for (const { level, message, line, items } of groups.values()) {
        logger[level](message, items === 1 ? line : { ...line, items })
      }
      groups.clear()
    },
  }
}

/** Consumer, flow or name; of the keys of callers without the caller, as each has its own. */
function ownerOf({ pk }: StoreKey): string {
  const [owner = ''] = pk.split('/')
  return owner.startsWith('key#') ? (owner.split('@')[0] ?? owner) : owner
}
