import { dashboard } from '../../../examples/deploy/dashboard.ts'

interface Widget {
  readonly properties: { readonly metrics: readonly (readonly unknown[])[] }
}

const SEARCH =
  /^SEARCH\('\{Lineclear,([\w,]+)\} table="\$\{LineclearTable\}" MetricName=\(([^)]*)\)', '(?:Sum|p99)', 60\)$/

/** The search expressions of the dashboard. */
export function searches(): string[] {
  return rows().flatMap(([first]) =>
    typeof first === 'object' && first !== null && 'expression' in first
      ? [String(first.expression)]
      : [],
  )
}

function rows(): (readonly unknown[])[] {
  const { Properties } = dashboard() as { Properties: { DashboardBody: { 'Fn::Sub': string } } }
  const body = JSON.parse(Properties.DashboardBody['Fn::Sub']) as { widgets: Widget[] }
  return body.widgets.flatMap(({ properties }) => properties.metrics)
}

/** The metrics on the dashboard, with their dimensions. */
export function shown(): string[] {
  const found = searches().flatMap((expression) => {
    const [, by, names = ''] = SEARCH.exec(expression) ?? []
    return by === undefined ? [] : names.split(' OR ').map((name) => `${by} ${unquoted(name)}`)
  })
  const plain = rows().flatMap(([namespace, name, by]) =>
    namespace === 'Lineclear' ? [`${String(by)} ${String(name)}`] : [],
  )
  return [...found, ...plain]
}

function unquoted(name: string): string {
  return String(JSON.parse(name))
}
