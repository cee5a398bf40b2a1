import type { RecordsToUndo } from '../../consumer/undo.ts'
import { isObject } from '../../base/kindOf.ts'
import { wrongOption } from '../../base/options.ts'

/** @throws ConfigError for a handler that is none, or one that would have its marks in another database than the effects */
export function checkRecords({ consumer: { name, sql }, undo }: RecordsToUndo): void {
  const who = `recordHandler('${name}')`
  if (!isObject(undo.handlers)) {
    throw wrongOption(who, 'undo', 'compensate(schema, { name: handler })', undo.handlers)
  }
  for (const [effect, handler] of Object.entries(undo.handlers)) {
    if (typeof handler === 'function' || handler === 'keep') continue
    throw wrongOption(who, `undo.${effect}`, "a function (payload, ctx, made), or 'keep'", handler)
  }
  if (undo.sql === undefined || undo.sql === sql) return
  throw wrongOption(who, 'undo.sql', 'the option sql of the consumer, the same object', undo.sql)
}
