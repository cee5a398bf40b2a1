import { parseArgs } from 'node:util'

export type Format = 'text' | 'markdown' | 'json'

export interface Options {
  readonly quick: boolean
  readonly check: boolean
  readonly format: Format
  /** Names of parts. Empty: all. */
  readonly only: readonly string[]
}

export const USAGE = `usage: npm run bench [-- OPTIONS]
  --only NAME …   only these parts, and the goals that they are about
  --quick         fewer rounds and fresh processes, six minutes
  --check         exit code 1 if a goal is missed, or was not measured
  --markdown      tables in Markdown
  --json          one JSON object`

/** @throws when an option is not one of ours, in words that say so. */
export function readOptions(args: readonly string[], parts: readonly string[]): Options | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const only = [...values.only, ...positionals]
  if (positionals.length > 0 && values.only.length === 0)
    throw new Error(`expected --only before ${positionals[0]}`)
  const unknown = only.find((name) => !parts.includes(name))
  if (unknown !== undefined)
    throw new Error(`no part is named ${unknown}; parts: ${parts.join(', ')}`)
  if (values.markdown && values.json) throw new Error('expected --markdown or --json, not both')
  const format = values.json ? 'json' : values.markdown ? 'markdown' : 'text'
  return { quick: values.quick, check: values.check, format, only }
}
