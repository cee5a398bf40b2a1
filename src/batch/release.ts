import { release } from '../lock/settleWrites.ts'
import type { Token } from '../lock/token.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from './settlement.ts'

/** Claimed, but there is no time to run it. If this write is lost the lease runs out and costs the attempt. */
export async function handBack(token: Token, invocation: Invocation): Promise<Settlement> {
  await invocation.commit(release(token, invocation.consumer.clock.now()))
  return { kind: 'handedBack' }
}
