import { expect, it } from 'vitest'
import { givenOf } from '../../../src/tools/console/app/pages/letters/selection.ts'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { actionsOf } from '../../../src/tools/console/change.ts'
import { argumentsOf } from '../../../src/tools/console/form.ts'

it.each([
  [{ queue: 'dead', group: 'g', reason: 'too old' }, [], ['--group=g', '--reason=too old', 'dead']],
  [{ queue: 'dead', group: 'g' }, ['m1', 'm2'], ['--id=m1', '--id=m2', 'dead']],
  [{ id: 'o-1', olderThan: '2h' }, [], ['--all', '--id=o-1', '--older-than=2h']],
])('what the page selects by %j and %j, the server gives to the command', (query, chosen, args) => {
  const given = givenOf(query, new Set(chosen))
  for (const name of ['dlq.redrive', 'dlq.discard']) {
    const form = actionsOf(COMMANDS).get(name)
    expect(form && argumentsOf(form, given)).toEqual([...name.split('.'), ...args])
  }
})
