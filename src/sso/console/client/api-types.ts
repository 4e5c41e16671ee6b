import type { Static } from 'typebox'
import type { Act } from '../../core/audit/audit.ts'
import type { Delivery as DeliverySchema } from '../../events/webhooks/deliveries.ts'
import type { Webhook as WebhookSchema } from '../../events/webhooks/endpoints.ts'
import type { EndpointFigures, WebhookEvent as EventSchema } from '../../events/webhooks/figures.ts'
import type {
  Connection as ConnectionSchema,
  Domain as DomainSchema,
} from '../../federation/enterprise/fields.ts'
import type {
  NewScimToken as NewScimTokenSchema,
  ScimTokens as ScimTokensSchema,
} from '../../federation/scim/tokens.ts'
import type { Trial as TrialSchema } from '../../federation/enterprise/try.ts'
import type { Job as JobSchema, JobSummary as SummarySchema } from '../../lifecycle/bulk/bulk-jobs.ts'
import type { ImportQuota as QuotaSchema } from '../../lifecycle/bulk/quota.ts'
import type { Installation as InstallationSchema } from '../../operations/installation/routes.ts'
import type { RingKey as RingKeySchema } from '../../operations/key-rotation/operator.ts'
import type { OutboxMessage as OutboxSchema } from '../../operations/outbox/outbox.ts'
import type { Status as StatusSchema } from '../../operations/status/status.ts'
import type { Order as OrderSchema } from '../../partners/payments/order.ts'
import type { Checklist as ChecklistSchema } from '../../operations/overview/checklist.ts'
import type { ConsoleFigures as FiguresSchema } from '../../operations/overview/figures.ts'
import type { OwnSites } from '../../operations/overview/own-sites.ts'
import type { ClientBody, OpenIdClient as ClientSchema } from '../../federation/openid/clients.ts'
import type { DomainProof as ProofSchema } from '../../partners/sites/domain.ts'
import type { ManagedSite as ManagedSchema } from '../../partners/sites/managed.ts'
import type { Wiped as WipedSchema } from '../../operations/sandbox/wipe.ts'

/* The API types of the live pages, from the schemas of the routes. Types only: nothing of this reaches a browser. */

export type Delivery = Static<typeof DeliverySchema>
export type Webhook = Static<typeof WebhookSchema>
export type WebhookEvent = Static<typeof EventSchema>
export type Figures = Static<typeof EndpointFigures>['items'][number]
export type AuditAction = Act['action']
export type Connection = Static<typeof ConnectionSchema>
export type ScimTokens = Static<typeof ScimTokensSchema>
export type NewScimToken = Static<typeof NewScimTokenSchema>
export type Domain = Static<typeof DomainSchema>
export type Trial = Static<typeof TrialSchema>
export type Import = Static<typeof SummarySchema>
export type ImportInFull = Static<typeof JobSchema>
export type ImportQuota = Static<typeof QuotaSchema>
export type Order = Static<typeof OrderSchema>
export type { BrandingAnswer as Branding } from '../../operations/branding/branding.ts'
export type Installation = Static<typeof InstallationSchema>
export type RingKey = Static<typeof RingKeySchema>
export type OutboxMessage = Static<typeof OutboxSchema>
export type { MessageKind } from '../../core/messages/queue.ts'
export type { Found } from '../../people/directory/find.ts'
export type { Membership, Standing } from '../../people/directory/standing.ts'
export type { Claims } from '../../federation/enterprise/claims.ts'
export type { AuditLine } from '../../core/audit/list.ts'
export type { User } from '../../people/person/users.ts'
export type Status = Static<typeof StatusSchema>
export type Checklist = Static<typeof ChecklistSchema>
export type ConsoleFigures = Static<typeof FiguresSchema>
export type OwnSite = Static<typeof OwnSites>['items'][number]
export type ManagedSite = Static<typeof ManagedSchema>
export type { FullSite } from '../../partners/sites/sites.ts'
export type { SiteKey } from '../../partners/sites/keys.ts'
export type DomainProof = Static<typeof ProofSchema>
export type OpenIdClient = Static<typeof ClientSchema>
export type ClientScope = Static<typeof ClientBody>['scopes'][number]
export type Wiped = Static<typeof WipedSchema>
