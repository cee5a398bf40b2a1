import { hash } from 'node:crypto'
import { optionsBefore } from '../console/form.ts'
import { shellWord } from '../operator/text/commandLine.ts'

/** Options whose values are payloads, which may hold personal data: rows are kept for longer than a payload may be. */
const PAYLOADS: ReadonlySet<string> = new Set([
  '--answer',
  '--made',
  '--result',
  '--error',
  '--set',
])

/** The command as typed, with more options; of a payload only the name of its call stays. */
export function commandWithoutPayloads(
  args: readonly string[],
  more: readonly string[] = [],
): string {
  return [
    'lineclear',
    ...optionsBefore(
      mapPayloads(args, () => '…', shellWord),
      more,
    ),
  ].join(' ')
}

/** Arguments that can be kept, and compared with those of another run: each payload is replaced by its hash. */
export function argsWithoutPayloads(args: readonly string[]): readonly string[] {
  return mapPayloads(args, (value) => hash('sha256', value, 'hex').slice(0, 16))
}

function mapPayloads(
  args: readonly string[],
  hide: (value: string) => string,
  keep: (word: string) => string = (word) => word,
): readonly string[] {
  return args.map((word, at) => {
    const [option = '', ...inline] = word.split('=')
    if (PAYLOADS.has(option) && inline.length > 0) {
      return `${option}=${hidden(inline.join('='), hide)}`
    }
    return PAYLOADS.has(args[at - 1] ?? '') ? hidden(word, hide) : keep(word)
  })
}

/** `charge=…` of `charge={"id":5}`. */
function hidden(value: string, hide: (value: string) => string): string {
  const [, name] = /^([\w./~-]+)=/.exec(value) ?? []
  return name === undefined ? hide(value) : `${name}=${hide(value)}`
}
