import { voidDelayed } from '../operator/plan/lookUp.ts'
import type { CliCommand } from './command.ts'
import { positionals, readArgs } from './readArgs.ts'
import { runPlan } from './runPlan.ts'
import { lookupOf } from './tokens.ts'
import { UsageError } from './usageError.ts'

export const delays: CliCommand = {
  name: 'delays',
  summary: 'take back a delayed message before it is sent',
  usage: `lineclear delays void later/ID

  void   never send this message of storedDelays(); lineclear ls --status later lists them

  Shows the plan; --apply PLAN makes the change.`,
  run: async ([verb, ...rest], io) => {
    if (verb !== 'void') throw new UsageError(`delays: expected void; got ${verb ?? 'nothing'}`)
    const { positionals: given } = readArgs(rest, {})
    const [id] = positionals(given, ['later/ID'])
    return runPlan(await voidDelayed(lookupOf(io), id), io)
  },
}
