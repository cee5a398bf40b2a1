import { kind, type Kind } from '../commands/kinds.ts'
import type { Row } from '../commands/row.ts'
import { optionName } from '../operator/text/commandLine.ts'
import { type Command, command } from './command.ts'
import { GLOBAL_OPTIONS } from './globals.ts'

/** What a shell can complete behind some words: commands, verbs or options. */
type Completions = readonly (readonly [words: string, next: readonly string[]])[]

const SHELLS: Readonly<Record<string, (of: Completions) => string>> = {
  bash: bashScript,
  zsh: (of) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(of)}`,
  fish: fishScript,
}
const EVERYWHERE = Object.keys(GLOBAL_OPTIONS).map(optionName)
const NAMES = Object.keys(SHELLS).join(', ')

const shellKind: Kind<(of: Completions) => string> = kind('SHELL', (text, refuse) =>
  Object.hasOwn(SHELLS, text) ? (SHELLS[text] ?? refuse(NAMES)) : refuse(NAMES),
)

export const completion: Command = command({
  words: 'completion',
  summary: 'print a script that completes commands and options in your shell',
  about: [
    'bash, zsh   source <(lineclear completion bash)   in ~/.bashrc; zsh in ~/.zshrc',
    'fish        lineclear completion fish | source    in ~/.config/fish/config.fish',
  ],
  arguments: { shell: { kind: shellKind, help: NAMES } },
  options: {},
  examples: ['completion bash'],
  run: async ({ shell }, io) => {
    io.out(shell(completionsOf(io.commands)))
    return 0
  },
})

/** The longest words first: `dlq redrive` before `dlq`. */
function completionsOf(rows: readonly Row[]): Completions {
  const whole = rows.map(
    ({ words, options }) => [words, Object.keys(options).map(optionName)] as const,
  )
  const verbs = Map.groupBy(
    rows.filter(({ words }) => words.includes(' ')),
    ({ words }) => words.split(' ')[0] ?? '',
  )
  const parts = [...verbs].map(
    ([name, of]) => [name, of.map(({ words }) => words.slice(name.length + 1))] as const,
  )
  return [...whole, ...parts].toSorted(([one], [other]) => other.length - one.length)
}

function firstWords(of: Completions): readonly string[] {
  return [...new Set(of.map(([words]) => words.split(' ')[0] ?? ''))]
}

function bashScript(of: Completions): string {
  const cases = of.map(([words, next]) => {
    const pattern = words.includes(' ') ? `"${words}"` : `*" ${words}"`
    return `      ${pattern}) words="${[...next, ...EVERYWHERE].join(' ')}" ;;`
  })
  return `_lineclear() {
  local words="${[...firstWords(of), ...EVERYWHERE].join(' ')}" before="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$before $word" in
${cases.join('\n')}
    esac
    before="$word"
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lineclear lineclear`
}

function fishScript(of: Completions): string {
  const lines = of.flatMap(([words, next]) => {
    const seen = words.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
    const where = `complete -c lineclear -n "${seen.join('; and ')}"`
    return next.map((each) =>
      each.startsWith('--') ? `${where} -l ${each.slice(2)}` : `${where} -a ${each}`,
    )
  })
  return [
    `complete -c lineclear -n __fish_use_subcommand -a "${firstWords(of).join(' ')}"`,
    ...EVERYWHERE.map((option) => `complete -c lineclear -l ${option.slice(2)}`),
    ...lines,
  ].join('\n')
}
