import type { Instrumentable, Middleware } from './middleware.ts'
import { faultSeam } from './seam.ts'
import { strictness } from './strictness.ts'

/** Once per client, however often it is called. */
export function instrument<Client extends Instrumentable>(
  client: Client,
  memory: Middleware,
  isRawTopic: (arn: string) => boolean,
): Client {
  const outermost = { step: 'initialize', priority: 'high', override: true }
  // Inside the SDK's retry loop, below everything else.
  const innermost = { step: 'deserialize', priority: 'low', override: true }
  const { middlewareStack } = client
  middlewareStack.add(strictness(isRawTopic), { ...outermost, name: 'lineclearStrictness' })
  middlewareStack.add(memory, { ...outermost, name: 'lineclearMemory' })
  middlewareStack.add(faultSeam, { ...innermost, name: 'lineclearFaults' })
  return client
}
