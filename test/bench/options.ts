import { parseArgs } from 'node:util'

export interface Options {
  readonly quick: boolean
  readonly json: boolean
}

export const USAGE = `usage: npm run bench [-- --quick] [-- --json]
  --quick   fewer rounds and small batches only, under 40 seconds
  --json    one JSON object on standard output, no tables`

/** @throws when an option is not one of ours, in words that say so. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return values.help ? 'help' : { quick: values.quick, json: values.json }
}
