import { expect, it } from 'vitest'
import { commandWithoutPayloads } from '../../../src/tools/cli/payloads.ts'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { optionName } from '../../../src/tools/operator/text/commandLine.ts'

it('the audit keeps the value of no option that takes JSON, in any command of the table', () => {
  const names = COMMANDS.flatMap(({ options }) =>
    Object.entries(options)
      .filter(([, { kind }]) => kind.form === 'json' || kind.form === 'values')
      .map(([name]) => optionName(name)),
  )
  expect(names).toContain('--answer')
  for (const name of names) {
    expect(commandWithoutPayloads(['x', name, '"secret"'])).not.toContain('secret')
    expect(commandWithoutPayloads(['x', `${name}=call="secret"`])).not.toContain('secret')
  }
})
