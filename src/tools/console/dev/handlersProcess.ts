import { readFileSync } from 'node:fs'
import type { Clock } from '../../../library/base/clock.ts'
import { messageOf } from '../../../library/base/errors.ts'
import { toDevError } from './loadError.ts'
import { type Child, forkChild } from './forkChild.ts'
import type { Described, HandlersOf, LoadFailure, OfParent, CloudAddress } from './protocol.ts'
import type { Health } from './types.ts'
import { watchFiles } from './loadedFiles.ts'

/** The process of the handlers: it is replaced when a file of it changes, or when it has died. */
export interface HandlersProcess {
  health(): Health
  /** Undefined while it is not ready. */
  peer(): Child['peer'] | undefined
  stop(): Promise<void>
}

export interface HandlersOptions {
  /** FILE, from `cwd`. */
  readonly file: string
  readonly cwd: string
  readonly clock: Clock
  /** Called when FILE is loaded, each time. @throws when it cannot be run */
  readonly place: (described: Described) => Promise<CloudAddress>
  /** It is ready, and polls. */
  readonly ready: (consumers: HandlersOf) => void
  /** Its invocations are over. @param why 'reload', or how it died */
  readonly gone: (why: string) => void
  readonly changed: (health: Health) => void
  readonly output: (line: string) => void
  readonly asked: Pick<OfParent, 'event' | 'calls'>
}

/** It died by itself, and may do so again and again. */
const RETRY_MS = 5_000
/** When the new handlers have begun their work, the next process is made ready: loading packages takes most of a reload. */
const SPARE_AFTER_MS = 500

export function runHandlers(options: HandlersOptions): HandlersProcess {
  const { cwd, clock } = options
  let health: Health = { state: 'loading', since: clock.now(), reloads: 0, files: [] }
  let current: Child | undefined
  let spare: Child | undefined
  let begun = clock.now()
  let last = ''
  let retrying: NodeJS.Timeout | undefined
  let sparing: NodeJS.Timeout | undefined
  let isStopped = false
  const ending = new Set<Promise<void>>()
  const watch = watchFiles(() => reload())

  function become(next: Partial<Health> & Pick<Health, 'state'>): void {
    const { error: _, ...before } = health
    health = { ...before, since: clock.now(), ...next }
    options.changed(health)
  }

  function fork(): Child {
    const asked: OfParent = {
      ...options.asked,
      loaded: (file) => {
        last = file.path
        watch.add(file)
        health = { ...health, files: [...health.files, file.path] }
      },
      described: (described) => void begin(child, described),
      ready: (consumers) => {
        become({ state: 'ready', reloadMs: clock.now() - begun })
        options.ready(consumers)
        prepare()
      },
      failed: (failure) => broke(child, failure),
    }
    const child: Child = forkChild(cwd, asked, options.output, (how) => died(child, how))
    return child
  }

  function prepare(): void {
    clearTimeout(sparing)
    sparing = setTimeout(() => (spare ??= fork()), SPARE_AFTER_MS)
  }

  async function begin(child: Child, described: Described): Promise<void> {
    try {
      const place = await options.place(described)
      if (child === current) child.peer.tell('start', place)
    } catch (error) {
      broke(child, { message: messageOf(error), stack: '' })
    }
  }

  function load(): void {
    current = spare ?? fork()
    spare = undefined
    begun = clock.now()
    health = { ...health, files: [] }
    current.peer.tell('load', options.file)
  }

  /** @param why shown at the invocations that end with it */
  function end(why: string): void {
    const child = current
    current = undefined
    if (child === undefined) return
    const killed = child.kill()
    ending.add(killed)
    void killed.then(() => ending.delete(killed))
    options.gone(why)
  }

  function broke(child: Child, failure: LoadFailure): void {
    if (child !== current) return
    end('reload')
    become({ state: 'broken', error: toDevError(failure, { cwd, last, read }) })
    prepare()
  }

  function died(child: Child, how: string): void {
    if (child === spare) spare = undefined
    if (child !== current || isStopped) return
    current = undefined
    options.gone(how)
    const message = `The process of the handlers ended by itself (${how}).`
    const found = toDevError({ message, stack: child.lastWords() }, { cwd, last: '', read })
    const retryAt = new Date(clock.now() + RETRY_MS).toISOString()
    become({ state: 'broken', error: { ...found, kind: 'died', retryAt } })
    retrying = setTimeout(reload, RETRY_MS)
    prepare()
  }

  function reload(): void {
    if (isStopped) return
    clearTimeout(retrying)
    clearTimeout(sparing)
    watch.clear()
    end('reload')
    become({ state: 'loading', reloads: health.reloads + 1 })
    load()
  }

  load()
  return {
    health: () => health,
    peer: () => (health.state === 'ready' ? current?.peer : undefined),
    stop: async () => {
      isStopped = true
      clearTimeout(retrying)
      clearTimeout(sparing)
      watch.stop()
      end('stop')
      await Promise.all([spare?.kill(), ...ending])
    },
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
