import type {
  Item,
  ReadOutcome,
  TransactOutcome,
  UserItem,
  UserValue,
  WriteOutcome,
} from '../../../src/library/protocol/store/store.ts'
import type { Table } from './modelStore.ts'

/** All that a caller can see of an outcome. */
export function tell(outcome: WriteOutcome | ReadOutcome | TransactOutcome, table: Table): string {
  if (outcome.kind === 'failed') return outcome.error.message
  const by = 'by' in outcome ? outcome.by : ''
  return `${outcome.kind} ${by} ${'item' in outcome ? textOf(outcome.item, table) : ''}`
}

/** Equal texts for equal items, and quicker than JSON. */
export function textOf(item: Item | UserItem | undefined, { names }: Pick<Table, 'names'>): string {
  let text = ''
  for (const name in item) {
    const value = item[name]
    text += `${name}=${name === 'attemptId' ? names.get(valueText(value)) : valueText(value)},`
  }
  return text
}

function valueText(value: UserValue | undefined): string {
  if (value instanceof Set) return [...value].join('+')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
