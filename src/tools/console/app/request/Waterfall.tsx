import { lookOf } from '../parts/statuses.ts'
import { Glyph } from '../parts/Status.tsx'
import { durationText } from '../parts/words.ts'
import { type DrawnBar, type Drawn, legendOf, markGlyph, scaleOf } from './waterfall.ts'

type Scale = ReturnType<typeof scaleOf>
type LaneMark = Drawn['marks'][number]

interface WaterfallProps {
  readonly of: Drawn
  /** A line for each lane, in place of one for each of its bars. */
  readonly compact: boolean
}

export function Waterfall({ of, compact }: WaterfallProps) {
  const { lanes, bars, marks, from = '', to = '' } = of
  const scale = scaleOf(of)
  return (
    <div class={compact ? 'waterfall compact' : 'waterfall'}>
      <p class="faint">
        {from.slice(0, 10)}, {from.slice(11, 23)} to {to.slice(11, 23)} UTC
      </p>
      <ol>
        <Axis of={scale} />
        {lanes.map((name) => {
          const lane = {
            name,
            bars: bars.filter((bar) => bar.lane === name),
            marks: marks.filter((mark) => mark.lane === name),
            scale,
          }
          return compact ? <Line key={name} {...lane} /> : <Lane key={name} {...lane} />
        })}
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

function Axis({ of: scale }: { readonly of: Scale }) {
  return (
    <>
      <li class="axis">
        <span class="plot">
          {scale.ticks.map(({ at, label }) => (
            <span key={at} class="tick" style={{ left: `${at}%` }}>
              {label}
            </span>
          ))}
        </span>
      </li>
      {scale.breaks.length > 0 && (
        <li>
          <span class="plot">
            <Breaks of={scale} said />
          </span>
        </li>
      )}
    </>
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
        {marks.length > 0 && <Plot bars={[]} marks={marks} scale={scale} />}
      </li>
      {bars.map((bar) => (
        <Row key={`${bar.from} ${bar.label}`} of={bar} scale={scale} />
      ))}
    </>
  )
}

function Row({ of: bar, scale }: { readonly of: DrawnBar; readonly scale: Scale }) {
  const { kind, label, why = '', open, marks } = bar
  const { tone, glyph } = lookOf(wordOf(bar))
  return (
    <li class={`tone-${tone}`} title={[label, why].join('\n').trim()}>
      <span class="bar-name cut">
        <Glyph of={kind === 'attempt' ? glyph : ''} />
        {label}
      </span>
      <Plot bars={[bar]} marks={marks} scale={scale} />
      <span class="took">
        {untimedGlyphs([bar])} {tookOf([bar])}
        {open && ' …'}
      </span>
    </li>
  )
}

/** A lane with all that happened in it. */
function Line({ name, bars, marks, scale }: LaneProps) {
  const attempts = bars.filter(({ kind }) => kind === 'attempt')
  const last = attempts.at(-1)
  const { tone, glyph } = lookOf(last === undefined ? '' : wordOf(last))
  return (
    <li title={bars.map(({ label }) => label).join('\n')}>
      <span class={`bar-name cut tone-${tone}`}>
        <Glyph of={glyph} />
        {name}
        {last !== undefined && `: ${last.label}`}
      </span>
      <Plot bars={bars} marks={[...bars.flatMap((bar) => bar.marks), ...marks]} scale={scale} />
      <span class="took">
        {untimedGlyphs(bars)} {bars.length > 0 && tookOf(bars)}
      </span>
    </li>
  )
}

/** That these happened is known, and not when. */
function untimedGlyphs(bars: readonly DrawnBar[]): string {
  const marks = bars.flatMap((bar) => bar.marks)
  return marks
    .filter(({ at }) => at === undefined)
    .map(markGlyph)
    .join('')
}

function tookOf(bars: readonly DrawnBar[]): string {
  const [from, to] = [bars.map((bar) => bar.from), bars.map((bar) => bar.to)]
  return durationText(Math.max(...to.map(Date.parse)) - Math.min(...from.map(Date.parse)))
}

/** A bar can be seen, however short, percent. */
const LEAST = 0.5

interface PlotProps {
  readonly bars: readonly DrawnBar[]
  readonly marks: readonly DrawnBar['marks'][number][]
  readonly scale: Scale
}

function Plot({ bars, marks, scale }: PlotProps) {
  return (
    <span class="plot">
      {scale.ticks.map(({ at }) => (
        <span key={at} class="tick" style={{ left: `${at}%` }} />
      ))}
      <Breaks of={scale} />
      {bars.map((bar) => {
        const left = Math.min(scale.at(bar.from), 100 - LEAST)
        const width = Math.max(LEAST, scale.at(bar.to) - left)
        return (
          <span
            key={`${bar.from} ${bar.label}`}
            class={`bar-shape ${bar.kind} tone-${lookOf(wordOf(bar)).tone}`}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        )
      })}
      <Marks of={marks} scale={scale} />
    </span>
  )
}

function wordOf({ kind, outcome, open }: DrawnBar): string {
  if (kind !== 'attempt') return kind === 'lease' ? 'lost' : 'waiting'
  return outcome ?? (open ? 'running' : '')
}

function Marks({ of, scale }: { readonly of: PlotProps['marks']; readonly scale: Scale }) {
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
