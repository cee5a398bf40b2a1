import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger'
import { type Logger, recordHandler } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { expectTypeOf, test } from 'vitest'

test('Powertools Logger and the console are loggers', () => {
  const powertools: Logger = new PowertoolsLogger({ serviceName: 'orders' })
  const plain: Logger = console
  expectTypeOf(powertools).toExtend<Logger>()
  recordHandler({ name: 'orders', store: memoryStore(), logger: plain }, () => {})
})
