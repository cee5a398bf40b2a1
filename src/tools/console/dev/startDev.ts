import { resolve } from 'node:path'
import { channel } from 'node:diagnostics_channel'
import { ConfigError } from '../../../library/base/errors.ts'
import { jsonLogger } from '../../../library/base/logger.ts'
import { startLocalCloud } from '../../../testing/local/cloud/cloud.ts'
import { writtenAgain } from '../../../testing/local/dev/writtenAgain.ts'
import { serveMappings } from '../../../testing/local/mapping/serveMappings.ts'
import type { LocalCloud } from '../../../testing/local/cloud/openCloud.ts'
import { ownTableIn } from '../../../testing/local/dev/completeCloud.ts'
import {
  startOutsideSystems,
  type OutsideSystems,
} from '../../../testing/local/dev/outsideSystems.ts'
import type { SystemMap } from '../../../testing/local/observe/mapOf.ts'
import { observeLocalClouds } from '../../../testing/local/observe/publish.ts'
import type { LocalEvent } from '../../../testing/local/observe/event.ts'
import { keepBooks } from './books.ts'
import { runningInvocations } from './running.ts'
import { newControls } from './controls.ts'
import { devRoutes, strike } from './devRoutes.ts'
import { type HandlersOptions, runHandlers } from './handlersProcess.ts'
import type { EventFeed } from '../stream.ts'
import type { OwnRoutes } from '../api.ts'
import { openLocalFiles } from './localFiles.ts'
import { mappingsOf } from './mappings.ts'
import type { Described, HandlersOf } from './protocol.ts'
import { newSeenMap } from '../seenMap.ts'
import { newSession } from './session.ts'
import { type Thrown, thrownIn } from '../reply.ts'

/** `output` gets no log lines. */
interface DevOptions extends Pick<
  HandlersOptions,
  'file' | 'cwd' | 'clock' | 'changed' | 'output'
> {
  readonly seed: number
  /** As on Lambda Managed Instances. */
  readonly managed: boolean
  /** An attempt has failed. @param of the function's name */
  readonly failed: (of: string, thrown: Thrown) => void
}

export interface RunningDev {
  readonly routes: OwnRoutes
  /** Live events, of the cloud and of the handlers. */
  readonly events: EventFeed
  /** The map of this cloud, without others that run in this process. */
  map(): SystemMap
  /** Others in this folder find the console there. */
  tell(url: string): void
  /** Is called before the cloud ends. */
  onStop(cleanUp: () => Promise<void>): void
  stop(): Promise<void>
}

/** The cloud of FILE and what belongs to it: it stays while handlers are loaded again. */
interface Stage {
  readonly cloud: LocalCloud
  readonly outside: OutsideSystems
  /** As it was when the cloud was started. */
  readonly description: string
}

const EVENTS = channel('lineclear.local')

/**
 * Starts the local cloud of FILE, and its handlers in a process of their own, which is replaced when one of their files changes.
 * @throws ConfigError when FILE cannot be loaded, its cloud cannot be started, or another is up in this folder
 */
export async function startDev(options: DevOptions): Promise<RunningDev> {
  const { file, cwd, clock, managed } = options
  const session = newSession()
  const again = writtenAgain()
  const running = runningInvocations()
  const controls = newControls(options.seed)
  const settled = Promise.withResolvers<void>()
  const files = await openLocalFiles(cwd)
  let described: Described | undefined
  let opening: Promise<Stage> | undefined
  let stage: Stage | undefined

  const books = keepBooks({
    clock,
    again,
    isAtRest: () => running.count() === 0 && isEmpty(stage, described),
    names: () => described?.books ?? [],
    own: (atRest) => handlers.peer()?.ask('readBooks', { sent: session.requests(), atRest }),
  })
  let handlersOf: HandlersOf = {}
  const seen = newSeenMap(() =>
    (described?.consumers ?? []).map(({ queue, functionName: name }) => ({
      name,
      queue,
      consumers: handlersOf[queue] ?? [],
    })),
  )
  const observers = [running, session, again, controls, books, seen]
  const publish = (event: LocalEvent): void => {
    for (const each of observers) each.observe(event)
    EVENTS.publish(event)
    const thrown = event.type === 'log' ? thrownIn(event) : undefined
    if (thrown !== undefined && event.type === 'log') options.failed(event.function ?? '', thrown)
  }

  async function open(first: Described): Promise<Stage> {
    const cloud = await startLocalCloud(first.cloud, {
      logger: jsonLogger('ERROR'),
      observe: seen.observe,
    })
    const outside = await startOutsideSystems(first.outside, async (name, request) => {
      const peer = handlers.peer()
      if (peer === undefined) throw new Error('the handlers are being loaded')
      return peer.ask('answerOutside', { name, request })
    })
    cloud.onStop(outside.stop)
    const lambda = await serveMappings(() =>
      mappingsOf(cloud, handlers, controls, described ?? first, handlersOf),
    )
    cloud.onStop(lambda.stop)
    files.tell({
      ...cloud.endpoints,
      lambda: lambda.endpoint,
      table: ownTableIn(first.cloud.tables ?? {}) ?? 'lineclear',
    })
    stage = { cloud, outside, description: textOf(first) }
    return stage
  }

  const handlers = runHandlers({
    file,
    cwd,
    clock,
    place: async (now) => {
      const { cloud, outside, description } = await (opening ??= open(now))
      if (textOf(now) !== description) throw new ConfigError(OTHER_CLOUD)
      described = now
      const { endpoints, environment } = cloud
      const faults = now.consumers.map((each) => [each.queue, controls.faultsOf(each)] as const)
      return {
        file: resolve(cwd, file),
        endpoints,
        environment,
        outside: outside.urls,
        faults: Object.fromEntries(faults),
        paused: controls.paused(),
        managed,
      }
    },
    ready: (made) => {
      handlersOf = made
      for (const [queue, kill] of controls.kills()) strike(handlers, queue, kill)
      books.touch()
    },
    gone: (why) => {
      for (const event of running.killed(why, clock.now())) publish(event)
    },
    changed: (health) => {
      if (health.state !== 'loading') settled.resolve()
      options.changed(health)
    },
    output: (line) => {
      files.log(line)
      if (!line.startsWith('{')) options.output(line)
    },
    asked: {
      event: publish,
      calls: (system) => stage?.outside.calls(system) ?? [],
    },
  })

  async function stop(): Promise<void> {
    await handlers.stop()
    const started = await opening?.catch(() => undefined)
    await started?.cloud.stop()
    files.remove()
  }

  await settled.promise
  if (stage === undefined || described === undefined) {
    const { error } = handlers.health()
    await stop()
    // `changed` has already printed its place.
    throw new ConfigError(`${file} cannot be run: ${error?.message ?? 'it has ended'}`)
  }
  const first = described
  const parts = { file, cwd, managed, session, running, controls, books, handlers }
  return {
    stop,
    onStop: stage.cloud.onStop,
    events: { subscribe: observeLocalClouds },
    tell: (url) => files.tell({ url }),
    map: seen.map,
    routes: devRoutes({ ...parts, ...stage, described: () => described ?? first }),
  }
}

const OTHER_CLOUD =
  'The cloud of FILE, or its outside systems, are not those that were started: its queues follow from the consumers and their functionTimeout, unless they are given. End lineclear dev and start it again to take them, which loses the data of the cloud; or undo the change.'

/** What cannot be changed while it runs. */
function textOf({ cloud, outside }: Described): string {
  return JSON.stringify([cloud, outside])
}

function isEmpty(stage: Stage | undefined, described: Described | undefined): boolean {
  if (stage === undefined || described === undefined) return true
  return described.consumers.every(({ queue }) => {
    const { ready, delayed, inFlight } = stage.cloud.inspectQueue(queue)
    return ready.length + delayed.length + inFlight.length === 0
  })
}
