import type { CliCommand } from './command.ts'
import { positionals, readArgs } from './readArgs.ts'
import { UsageError } from './usageError.ts'

/** What a shell can complete: the words of each command, and its options. */
interface Words {
  readonly name: string
  readonly verbs: readonly string[]
  readonly options: readonly string[]
}

const SHELLS: Readonly<Record<string, (commands: readonly Words[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
}
const GLOBAL_OPTIONS = wordsOf('--table --region --local --json --apply --by --why --force --help')

/** @param commands the other commands */
export function completionOf(commands: () => readonly CliCommand[]): CliCommand {
  return {
    name: 'completion',
    summary: 'print a script that completes commands and options in your shell',
    usage: `lineclear completion bash | zsh | fish

  bash, zsh   source <(lineclear completion bash)   in ~/.bashrc; zsh in ~/.zshrc
  fish        lineclear completion fish | source    in ~/.config/fish/config.fish`,
    run: async (args, io) => {
      const { positionals: given } = readArgs(args, {})
      const [shell] = positionals(given, ['SHELL'])
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
      if (script === undefined) {
        throw new UsageError(
          `completion: expected ${Object.keys(SHELLS).join(', ')}; got ${JSON.stringify(shell)}`,
        )
      }
      io.out(script(commands().map(wordsIn)))
      return 0
    },
  }
}

/** The usage of a command names its verbs and its options. */
function wordsIn({ name, usage }: CliCommand): Words {
  const verbs = usage.matchAll(new RegExp(`^lineclear ${name} ([a-z]+)\\b`, 'gm'))
  const options = usage.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)
  return {
    name,
    verbs: unique([...verbs].map(([, verb = '']) => verb)),
    options: unique([...options].map(([option]) => option)),
  }
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)]
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ')
}

function bashScript(commands: readonly Words[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  const cases = commands.map(
    ({ name, verbs, options }) =>
      `    ${name}) words="${[...verbs, ...options, ...GLOBAL_OPTIONS].join(' ')}" ;;`,
  )
  return `_lineclear() {
  local words="${[names, ...GLOBAL_OPTIONS].join(' ')}" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
${cases.join('\n')}
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lineclear lineclear`
}

function fishScript(commands: readonly Words[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  const lines = commands.map(({ name, verbs, options }) =>
    [
      `complete -c lineclear -n "__fish_seen_subcommand_from ${name}" -a "${verbs.join(' ')}"`,
      ...options.map(
        (option) =>
          `complete -c lineclear -n "__fish_seen_subcommand_from ${name}" -l ${option.slice(2)}`,
      ),
    ].join('\n'),
  )
  return [
    `complete -c lineclear -n __fish_use_subcommand -a "${names}"`,
    ...GLOBAL_OPTIONS.map((option) => `complete -c lineclear -l ${option.slice(2)}`),
    ...lines,
  ].join('\n')
}
