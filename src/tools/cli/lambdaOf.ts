import type { MappingClient } from '../../sweeper/pause/applyPause.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

/** @throws UsageError when there is no client of Lambda */
export async function lambdaOf(io: Io): Promise<MappingClient> {
  const client = await io.lambda()
  if (!('why' in client)) return client
  throw new UsageError(`${client.why}, so that no mapping can be paused or resumed. ${client.cure}`)
}
