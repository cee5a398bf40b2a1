import { optionWord, shellWord } from '../../../../operator/text/commandLine.ts'

const OPTIONS: Readonly<Record<string, string>> = { olderThan: 'older-than' }

/**
 * The command that writes dead letters to a file. The page does not run it: the file belongs on the machine of the person who asks.
 * @param given as of a change
 */
export function archiveCommand(given: Readonly<Record<string, unknown>>): string {
  const { queue, all, ...rest } = given
  const where = typeof queue === 'string' ? shellWord(queue) : all === true ? '--all' : ''
  const options = Object.entries(rest).flatMap(([name, value]) =>
    [value].flat().map((each) => optionWord(`--${OPTIONS[name] ?? name}`, String(each))),
  )
  return ['lineclear dlq archive', where, ...options, '--to-file letters.jsonl'].join(' ')
}
