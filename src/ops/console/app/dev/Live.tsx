import { useRef, useState } from 'preact/hooks'
import { valueOf } from '../address.ts'
import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { plainText } from '../parts/safeText.ts'
import { address, href, setQuery } from '../route.ts'
import type { Invocation } from '../stream/activity.ts'
import {
  activity,
  clearActivity,
  frames,
  skipped,
  streamState,
  useStream,
} from '../stream/stream.ts'
import { Calls } from './Calls.tsx'
import { faultWords } from './callMark.ts'
import { endOf } from './ending.ts'
import { InvocationDetail } from './InvocationDetail.tsx'

/** Invocations as they happen, the newest first. */
export function Live() {
  useStream()
  void frames.value
  const [held, hold] = useState<readonly Invocation[] | undefined>(undefined)
  const box = useRef<HTMLDivElement>(null)
  const all = activity.invocations
  const shown = held ?? all
  const rows = {
    count: shown.length,
    at: (index: number) => shown[shown.length - 1 - index],
  }
  const newest = all.at(-1)
  const isBehind = held !== undefined && newest !== held.at(-1)
  const opened = valueOf(address.value.query['invocation'])
  const open = all.find(({ id }) => id === opened) ?? held?.find(({ id }) => id === opened)
  return (
    <section class="panel live">
      <header>
        <h2>Live</h2>
        <p class="faint" role="status">
          {WORDS[streamState.value]}
          {skipped.value > 0 && ` · ${skipped.value.toLocaleString('en')} events skipped`}
        </p>
        {isBehind && (
          <button
            type="button"
            onClick={() => {
              hold(undefined)
              box.current?.querySelector('.table')?.scrollTo(0, 0)
            }}
          >
            ↑ Follow again: there are newer ones
          </button>
        )}
        {all.length > 0 && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              hold(undefined)
              clearActivity()
            }}
          >
            clear
          </button>
        )}
      </header>
      {shown.length === 0 ? (
        <p class="quiet-note">
          No invocation yet. <a href={href('/send')}>Send a message</a>, and it is shown here as it
          runs.
        </p>
      ) : (
        <div
          ref={box}
          onScrollCapture={({ target }) => {
            // Who reads must not lose the line.
            const isAtTop = (target as HTMLElement).scrollTop <= 0
            if (isAtTop) hold(undefined)
            else if (held === undefined) hold([...all])
          }}
        >
          <Table
            label="Invocations"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            open={({ id }) => setQuery({ invocation: id === opened ? undefined : id })}
          />
        </div>
      )}
      {open !== undefined && (
        <InvocationDetail of={open} close={() => setQuery({ invocation: undefined })} />
      )}
    </section>
  )
}

const WORDS = {
  off: 'not followed',
  connecting: 'connecting …',
  open: 'followed',
  lost: 'connection lost, it is tried again …',
  none: 'this console has no live events',
}

const COLUMNS: readonly Column<Invocation>[] = [
  { title: 'Time', from: 'middle', cell: ({ began }) => <Clock at={began} /> },
  {
    title: 'Number',
    as: 'number',
    cell: ({ id, number }) => <a href={href('/dev', { invocation: id })}>#{number}</a>,
  },
  { title: 'Queue', cell: ({ queue }) => <Text of={queue} /> },
  { title: 'Messages', as: 'number', from: 'wide', cell: ({ messages }) => messages.length },
  {
    title: 'Calls',
    as: 'main',
    cell: ({ calls, faults }) => (
      <Calls of={calls} struck={faults.map(({ fault }) => faultWords(fault))} />
    ),
  },
  {
    title: 'Outcome',
    cell: (invocation) => {
      const { tone, glyph, word } = endOf(invocation)
      return (
        <span class={`status tone-${tone}`} title={plainText(invocation.end?.error ?? '')}>
          <span class="glyph" aria-hidden="true">
            {glyph}
          </span>
          {word}
        </span>
      )
    },
  },
]

function Clock({ at }: { readonly at: number }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} title={iso}>
      {iso.slice(11, 21)}
    </time>
  )
}
