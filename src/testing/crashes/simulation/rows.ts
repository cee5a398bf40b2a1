import type { UserItem, UserKey, UserValue } from '../../../store/store.ts'
import { attribute, canonical } from '../../../store/value.ts'
import { rowText } from './plain.ts'
import type { ScheduleContext } from './scheduleContext.ts'

export function rowOf(
  { base }: ScheduleContext,
  { TableName, Key }: UserKey,
): UserItem | undefined {
  const isIt = (item: UserItem): boolean =>
    Object.entries(Key).every(
      ([name, value]) => canonical(attribute(item, name) ?? null) === canonical(value),
    )
  return base.userItems(TableName).find(isIt)
}

/** A name for the report, the same for the same row. */
export function rowName({ TableName, Key }: UserKey): string {
  const parts = Object.entries(Key).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${TableName} ${rowText(Object.fromEntries(parts))}`
}

/** Remembers the values that a write left in a row, so that a later comparison can recognise an older value. */
export function noteHeld(context: ScheduleContext, row: string, key: UserKey): void {
  for (const [field, value] of Object.entries(rowOf(context, key) ?? {})) {
    const values = context.sums.has(`${row} ${field}`) ? context.passed : context.held
    values.add(heldText(row, field, value))
  }
}

export function heldText(row: string, field: string, value: UserValue): string {
  return `${row} ${field} ${canonical(value)}`
}
