import { FORMAT } from '../../../src/library/base/format.ts'
import { type Field, fieldsBelow, KINDS } from '../../proof/formats/page.ts'

/** The page of formats without the rooms: the number, the kinds of items, and what each field is, of items also until when it is kept. */
export function formatList(): string {
  const items = ['### Every item', ...KINDS.map((kind) => `### \`${kind}\`: `)]
  const messages = ['## Messages', '`flow` has these fields']
  const parts = [
    `format ${FORMAT}`,
    ...items.map((start) => listed(start, ({ cells }) => `${cells[0]}; until: ${cells.at(-1)}`)),
    ...messages.map((start) => listed(start, ({ cells }) => cells[0] ?? '')),
  ]
  return `${parts.join('\n\n')}\n`
}

function listed(start: string, tell: (field: Field) => string): string {
  const rows = fieldsBelow(start).map((field) => `  ${field.name}: ${tell(field)}`)
  return [start.replaceAll(/[#`:]/g, '').trim(), ...rows].join('\n')
}
