import { idempotent, lockTokens } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'

const RETENTIONS = [
  [24 * 3_600, 1],
  [3_599_999, 1],
  [3_600_000, 0],
  ['30s', 0],
  ['forever', 0],
  [undefined, 0],
] as const

it.each(RETENTIONS)('a retention of %s has %i lines of warning', (retention, lines) => {
  for (const make of [
    (common: object) =>
      idempotent(
        { ...common, store: memoryStore(), key: () => 'a', waitForOther: 0, lease: '1s' },
        () => 1,
      ),
    (common: object) => lockTokens({ ...common, store: memoryStore(), name: 'pay' }),
  ]) {
    const logger = quietLogger()
    make({ name: 'pay', logger, ...(retention !== undefined && { retention }) })
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(lines)
  }
})
