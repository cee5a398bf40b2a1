import { lookOf } from '../parts/statuses.ts'
import { Glyph } from '../parts/Status.tsx'
import { durationText } from '../parts/words.ts'
import { type DrawnBar, type Drawn, legendOf, markGlyph, scaleOf } from './waterfall.ts'

type Scale = ReturnType<typeof scaleOf>
type LaneMark = Drawn['marks'][number]

export function Waterfall({ of }: { readonly of: Drawn }) {
  const { lanes, bars, marks, from = '', to = '' } = of
  const scale = scaleOf(of)
  return (
    <div class="waterfall">
      <p class="faint">
        {from.slice(0, 10)}, {from.slice(11, 23)} to {to.slice(11, 23)} UTC
      </p>
      <ol>
        {scale.breaks.length > 0 && (
          <li>
            <span class="plot">
              <Breaks of={scale} said />
            </span>
          </li>
        )}
        {lanes.map((lane) => (
          <Lane
            key={lane}
            name={lane}
            bars={bars.filter((bar) => bar.lane === lane)}
            marks={marks.filter((mark) => mark.lane === lane)}
            scale={scale}
          />
        ))}
      </ol>
      <ul class="legend">
        {legendOf(of).map(([glyph, means]) => (
          <li key={glyph}>
            <Glyph of={glyph} />
            {means}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface LaneProps {
  readonly name: string
  readonly bars: readonly DrawnBar[]
  readonly marks: readonly LaneMark[]
  readonly scale: Scale
}

function Lane({ name, bars, marks, scale }: LaneProps) {
  return (
    <>
      <li class="lane">
        <span class="bar-name cut">{name}</span>
        {marks.length > 0 && (
          <span class="plot">
            <Breaks of={scale} />
            <Marks of={marks} scale={scale} />
          </span>
        )}
      </li>
      {bars.map((bar) => (
        <Row key={`${bar.from} ${bar.label}`} of={bar} scale={scale} />
      ))}
    </>
  )
}

/** A bar can be seen, however short, percent. */
const LEAST = 0.5

function Row({ of: bar, scale }: { readonly of: DrawnBar; readonly scale: Scale }) {
  const { kind, label, why = '', from, to, open, marks } = bar
  const { tone, glyph } = lookOf(wordOf(bar))
  const left = Math.min(scale.at(from), 100 - LEAST)
  const width = Math.max(LEAST, scale.at(to) - left)
  // That they happened here is known, and not when.
  const untimed = marks.filter(({ at }) => at === undefined)
  return (
    <li class={`tone-${tone}`} title={[label, why].join('\n').trim()}>
      <span class="bar-name cut">
        <Glyph of={kind === 'attempt' ? glyph : ''} />
        {label}
      </span>
      <span class="plot">
        <Breaks of={scale} />
        <span class={`bar-shape ${kind}`} style={{ left: `${left}%`, width: `${width}%` }} />
        <Marks of={marks} scale={scale} />
      </span>
      <span class="took">
        {untimed.map(markGlyph).join('')} {durationText(Date.parse(to) - Date.parse(from))}
        {open && ' …'}
      </span>
    </li>
  )
}

function wordOf({ kind, outcome, open }: DrawnBar): string {
  if (kind !== 'attempt') return kind === 'lease' ? 'lost' : 'waiting'
  return outcome ?? (open ? 'running' : '')
}

interface MarksProps {
  readonly of: readonly DrawnBar['marks'][number][]
  readonly scale: Scale
}

function Marks({ of, scale }: MarksProps) {
  return (
    <>
      {of.map((mark, at) => {
        if (mark.at === undefined) return null
        const label = `${mark.label} ${mark.at}`
        return (
          <span
            key={at}
            class="bar-mark"
            role="img"
            aria-label={label}
            title={label}
            style={{ left: `${scale.at(mark.at)}%` }}
          >
            {markGlyph(mark)}
          </span>
        )
      })}
    </>
  )
}

function Breaks({ of, said = false }: { readonly of: Scale; readonly said?: boolean }) {
  return (
    <>
      {of.breaks.map(({ at, length }) => (
        <span key={at} class="break" style={{ left: `${at}%` }}>
          {said && durationText(length)}
        </span>
      ))}
    </>
  )
}
