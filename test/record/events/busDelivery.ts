/** An event as a subscriber of a Custom Event Bus gets it with its metadata. */
export function busDelivery(Data: unknown, system: object = {}, Metadata: object = {}) {
  return {
    Data,
    Metadata,
    SystemMetadata: {
      ContentType: 'application/json',
      'aws:EventId': 'b-1',
      'aws:IngestionTime': '2026-09-23T18:00:00.123Z',
      'aws:DeliveryType': 'LIVE',
      ...system,
    },
  }
}
