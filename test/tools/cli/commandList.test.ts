import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS, SECTIONS } from '../../../src/tools/cli/commands.ts'
import { findCommand } from '../../../src/tools/cli/findCommand.ts'
import { readGlobals } from '../../../src/tools/cli/globals.ts'
import { formOf } from '../../../src/tools/cli/help.ts'
import { readGiven } from '../../../src/tools/cli/readGiven.ts'
import type { Row } from '../../../src/tools/commands/row.ts'
import { ROOT } from '../../documents/readme/documents.ts'

const README = 'src/tools/README.md'

/** `lineclear resume`: end a pause before its time */
function lineOf(row: Row): string {
  return `- \`${formOf(row).replace(' [OPTIONS]', '')}\`: ${row.summary}`
}

/** A quoted text is one argument, with the other quotes in it. */
function wordsOf(line: string): readonly string[] {
  const words = line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)
  return [...words].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, one?: string, other?: string) => one ?? other ?? '',
    ),
  )
}

describe('the table of commands', () => {
  it.each(SECTIONS.map((each) => [each.title, each] as const))(
    `is the list of ${README}: %s`,
    (_, { title, commands }) => {
      const readme = readFileSync(join(ROOT, README), 'utf8')
      expect(readme).toContain(`${title}:\n\n${commands.map(lineOf).join('\n')}\n`)
    },
  )

  it.each(
    COMMANDS.flatMap(({ words, examples }) => examples.map((each) => [words, each] as const)),
  )('of %s has an example that can be typed: %s', (words, example) => {
    const { command, args } = findCommand(readGlobals(wordsOf(example)).rest, COMMANDS)
    expect(command.words).toBe(words)
    expect(() => readGiven(command, args)).not.toThrow()
  })
})
