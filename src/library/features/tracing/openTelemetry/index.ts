export { openTelemetry, type OpenTelemetryOptions } from './openTelemetry.ts'
