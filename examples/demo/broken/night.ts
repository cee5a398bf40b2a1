import type { Clock, Logger } from 'lineclear'

/** How long ago the night was when everything broke: long enough for every lease and time limit of it to be over. */
const AGO = 3 * 60 * 60_000

/** How far the clock of one host is ahead. */
const AHEAD = 2 * 60 * 60_000

/** A clock that runs as it did in the night. */
export const nightClock: Clock = clockAt(-AGO)
/** The clock of a host that has lost its time server. */
export const wrongClock: Clock = clockAt(AHEAD)

function clockAt(offset: number): Clock {
  return {
    now: () => Date.now() + offset,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        signal?.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
      }),
  }
}

/** Dates each line by the clock of the night. */
export function nightLogger(logger: Logger): Logger {
  const at =
    (level: keyof Logger): Logger['info'] =>
    (message, ...fields) =>
      logger[level](message, ...fields, { timestamp: new Date(nightClock.now()).toISOString() })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
