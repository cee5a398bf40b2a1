import { useState } from 'preact/hooks'
import {
  type Bar,
  barAfter,
  type Drawn,
  hasRoom,
  isSameBar,
  layOut,
  type PlacedBar,
  type PlacedLane,
  tickLabel,
  wholeSpan,
} from './waterfallLayout.ts'
import { barLook, Legend, markGlyph } from './Legend.tsx'
import { durationOf } from '../parts/words.ts'
import { plainText } from '../parts/safeText.ts'
import { Text } from '../parts/Text.tsx'
import { useWidth } from '../parts/useWidth.ts'
import { lookOf } from '../parts/statuses.ts'
import { Facts, Id } from '../parts/Id.tsx'
import { Glyph } from '../parts/Status.tsx'

/** Pixels. */
const AXIS = 22
const LINE = 20
const BAR = 12
/** A line of marks below the bars of a lane. */
const MARKS = 14
/** A name above its lane. */
const ABOVE = 15
const LANE_GAP = 8
/** For the glyphs behind the last bar. */
const END = 40

/** What happened over real time. The table beside it says the same in words. */
export function Waterfall({ of }: { readonly of: Drawn }) {
  const [box, width] = useWidth<HTMLDivElement>()
  const [chosen, choose] = useState<Bar | undefined>(undefined)
  const span = wholeSpan(of)
  const names =
    width < 520 ? 0 : Math.min(180, 16 + 7 * Math.max(...of.lanes.map((each) => each.length), 0))
  const plot = Math.max(0, width - names - END)
  const placed = layOut(of, span, plot)
  const { lanes, ticks, step, breaks, left } = placed
  const tops = topsOf(lanes, names === 0)
  const height = tops.at(-1) ?? AXIS
  const press = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey) return
    const next = barAfter(key, lanes, chosen)
    if (next !== undefined) {
      event.preventDefault()
      choose(next)
    } else if (key === 'Escape') choose(undefined)
  }
  return (
    <div class="waterfall" ref={box}>
      <p class="faint">{new Date(span.from).toISOString().slice(0, 10)}, UTC</p>
      <div
        class="bars"
        tabIndex={0}
        role="group"
        aria-label="Bars: arrows show another one, Escape closes it"
        onKeyDown={press}
      >
        <svg width={width} height={height} role="img" aria-label={summaryOf(of)}>
          {ticks.map(({ x, at }) => (
            <g key={at} class="tick" transform={`translate(${names + x} 0)`}>
              <line y1={AXIS - 6} y2={height} />
              {hasRoom(x, placed, plot + END) && (
                <text y={11} x={3}>
                  {tickLabel(at, step)}
                </text>
              )}
            </g>
          ))}
          {breaks.map(({ x, length }) => (
            <g key={x} class="break" transform={`translate(${names + x} 0)`}>
              <path d={`M-4 ${AXIS - 6}V${height}M4 ${AXIS - 6}V${height}`} />
              <text y={11} text-anchor="middle">
                {durationOf(length)}
              </text>
            </g>
          ))}
          {lanes.map((lane, at) => (
            <g key={lane.name} transform={`translate(0 ${tops[at] ?? 0})`}>
              <Lane of={lane} names={names} choose={choose} chosen={chosen} />
            </g>
          ))}
        </svg>
      </div>
      {left > 0 && <p class="faint">{left} more bars are not drawn. The table has them.</p>}
      {chosen !== undefined && <BarDetail of={chosen} close={() => choose(undefined)} />}
      <Legend of={of} />
    </div>
  )
}

/** The top of each lane, and the bottom of the last. Without room at the left a name stands above its lane. */
function topsOf(lanes: readonly PlacedLane[], isAbove: boolean): readonly number[] {
  const tops = [AXIS]
  for (const { lines, marks } of lanes) {
    tops.push(
      (tops.at(-1) ?? AXIS) +
        (isAbove ? ABOVE : 0) +
        lines * LINE +
        (marks.length > 0 ? MARKS : 0) +
        LANE_GAP,
    )
  }
  return tops
}

function summaryOf({ bars, marks, lanes, from, to }: Drawn): string {
  const attempts = bars.filter(({ kind }) => kind === 'attempt').length
  return `${attempts} attempts in ${lanes.map(plainText).join(', ')}, from ${from ?? 'an unknown time'} to ${to ?? 'now'}, and ${marks.length} other events. The table has them in words.`
}

interface LaneProps {
  readonly of: PlacedLane
  /** Width of the names, pixels; 0: they stand above. */
  readonly names: number
  readonly chosen: Bar | undefined
  readonly choose: (bar: Bar) => void
}

function Lane({ of: { name, bars, marks, lines }, names, chosen, choose }: LaneProps) {
  const top = names === 0 ? ABOVE : 0
  return (
    <>
      <text class="lane" x={0} y={names === 0 ? 9 : BAR + 1}>
        {plainText(name)}
      </text>
      <g transform={`translate(${names} ${top})`}>
        {bars.map((placed) => (
          <BarShape
            key={`${placed.bar.from} ${placed.bar.label}`}
            of={placed}
            isChosen={isSameBar(placed.bar, chosen)}
            choose={choose}
          />
        ))}
        {marks.map(({ x, mark }, at) => (
          <text key={at} class="lane-mark" x={x} y={lines * LINE + 7} text-anchor="middle">
            {markGlyph(mark)}
            <title>{plainText(`${mark.label} ${mark.at ?? ''}`)}</title>
          </text>
        ))}
      </g>
    </>
  )
}

interface BarShapeProps {
  readonly of: PlacedBar
  readonly isChosen: boolean
  readonly choose: (bar: Bar) => void
}

function BarShape({ of: { bar, x, width, line, marks, until }, isChosen, choose }: BarShapeProps) {
  const { tone, glyph } = lookOf(barLook(bar))
  const y = line * LINE
  const middle = y + BAR / 2
  // That they happened here is known, and not when.
  const untimed = bar.marks.filter(({ at }) => at === undefined)
  const isThin = bar.kind === 'delay' || bar.kind === 'lease'
  return (
    <g
      class={`bar ${bar.kind} tone-${tone}${isChosen ? ' chosen' : ''}`}
      onClick={() => choose(bar)}
    >
      <title>{plainText([bar.label, bar.why ?? ''].join('\n').trim())}</title>
      <rect class="reach" x={x - 2} y={y - 3} width={width + 4} height={BAR + 6} />
      {isThin ? (
        <path
          class="thin"
          d={`M${x} ${middle}H${x + width}${bar.kind === 'lease' ? `M${x + width} ${y + 1}v${BAR - 2}` : ''}`}
        />
      ) : (
        <rect class="body" x={x} y={y} width={width} height={BAR} rx={2} />
      )}
      {until !== undefined && (
        <path class="thin" d={`M${x + width} ${middle}H${until}M${until} ${y + 1}v${BAR - 2}`} />
      )}
      {bar.kind === 'attempt' && (
        <text class="end" x={x + width + 3} y={y + BAR - 2}>
          {[bar.open ? '…' : glyph, ...untimed.map(markGlyph)].join(' ')}
        </text>
      )}
      {marks.map(({ x: at, mark }, index) => (
        <text key={index} class="mark-on" x={at} y={y + BAR - 2} text-anchor="middle">
          {markGlyph(mark)}
          <title>{plainText(mark.label)}</title>
        </text>
      ))}
    </g>
  )
}

/** All that is known of one bar. */
function BarDetail({ of, close }: { readonly of: Bar; readonly close: () => void }) {
  const { label, why, from, to, open, until, request, marks } = of
  return (
    <div class="bar-detail" role="status">
      <header>
        <h3>
          <Text of={label} />
        </h3>
        <button type="button" class="icon" onClick={close}>
          <span aria-hidden="true">×</span>
          <span class="unseen">Close</span>
        </button>
      </header>
      <Facts
        of={[
          { name: 'From', value: <code>{from}</code> },
          { name: open ? 'Until now' : 'To', value: <code>{to}</code> },
          { name: 'Took', value: durationOf(Date.parse(to) - Date.parse(from)) },
          until !== undefined && { name: 'Planned end', value: <code>{until}</code> },
          request !== undefined && { name: 'Request', value: <Text of={request} /> },
        ]}
      />
      {why !== undefined && (
        <p>
          <Text of={why} lines />
        </p>
      )}
      {marks.length > 0 && (
        <ul class="lines">
          {marks.map((mark, at) => (
            <li key={at}>
              <Glyph of={markGlyph(mark)} />
              <Text of={mark.label} />{' '}
              {mark.kind === 'send' && mark.messageId !== undefined && (
                <Id of={mark.messageId} to={{ path: '/search', query: { id: mark.messageId } }} />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
