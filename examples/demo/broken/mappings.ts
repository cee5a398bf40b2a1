import { type LocalCloud, mapQueue, type QueueMapping } from 'lineclear/local'
import type { Logger } from 'lineclear'
import { type ShopFunction, timeoutOf } from './functions.ts'

/** An event source mapping that can be disabled, as Lambda describes it. */
export interface Mapping {
  readonly UUID: string
  readonly EventSourceArn: string
  readonly FunctionArn: string
  readonly tags: Readonly<Record<string, string>>
  State(): 'Enabled' | 'Disabled'
  enable(): void
  /** Resolves when its running invocations have ended. */
  disable(): Promise<void>
}

/** Maps each function to its queue. */
export function mapFunctions(
  cloud: LocalCloud,
  logger: Logger,
  functions: readonly ShopFunction[],
): readonly Mapping[] {
  return functions.map(({ queue, handler, tags }, at) => {
    const start = (): QueueMapping =>
      mapQueue({ cloud, queue, handler, logger, functionTimeout: timeoutOf(queue) })
    let polling: QueueMapping | undefined = start()
    const EventSourceArn = cloud.queueArn(queue)
    return {
      UUID: `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`,
      EventSourceArn,
      FunctionArn: `${EventSourceArn.replace(':sqs:', ':lambda:').replace(/[^:]+$/, 'function:')}${queue}`,
      tags,
      State: () => (polling === undefined ? 'Disabled' : 'Enabled'),
      enable: () => void (polling ??= start()),
      disable: async () => {
        const stopping = polling
        polling = undefined
        await stopping?.stop()
      },
    }
  })
}
