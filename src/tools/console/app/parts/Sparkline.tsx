const WIDTH = 2
const GAP = 1
const HEIGHT = 14

interface SparklineProps {
  /** The oldest first. */
  readonly of: readonly number[]
  readonly label: string
}

export function Sparkline({ of, label }: SparklineProps) {
  const most = Math.max(1, ...of)
  const width = of.length * (WIDTH + GAP)
  return (
    <svg
      class="spark"
      role="img"
      aria-label={label}
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
    >
      <title>{label}</title>
      {of.map((value, at) => {
        const height = value === 0 ? 1 : Math.max(3, (value / most) * HEIGHT)
        return (
          <rect
            key={at}
            class={value === 0 ? 'none' : ''}
            x={at * (WIDTH + GAP)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
          />
        )
      })}
    </svg>
  )
}
