import { type Catalogue, type Language, textsIn } from '#foundation/web/client/texts.ts'

/* The places of the console and their names, for server and browser. */

const PLACES = {
  overview: '/console',
  people: '/console/people',
  sites: '/console/sites',
  webhooks: '/console/webhooks',
  imports: '/console/imports',
  enterprise: '/console/enterprise',
  orders: '/console/orders',
  audit: '/console/audit',
  messages: '/console/messages',
  settings: '/console/settings',
  account: '/account',
} as const
export type Place = keyof typeof PLACES

const TITLES: Catalogue<Place | 'console' | 'new_site'> = {
  en: {
    console: 'Console',
    new_site: 'New site',
    overview: 'Overview',
    people: 'People',
    sites: 'Sites',
    webhooks: 'Webhooks',
    imports: 'Imports',
    enterprise: 'Enterprise',
    orders: 'Orders',
    audit: 'Audit log',
    messages: 'Messages',
    settings: 'Settings',
    account: 'Your account',
  },
  de: {
    console: 'Konsole',
    new_site: 'Neue Website',
    overview: 'Überblick',
    people: 'Personen',
    sites: 'Websites',
    webhooks: 'Webhooks',
    imports: 'Importe',
    enterprise: 'Enterprise',
    orders: 'Bestellungen',
    audit: 'Protokoll',
    messages: 'Nachrichten',
    settings: 'Einstellungen',
    account: 'Mein Konto',
  },
  es: {
    console: 'Consola',
    new_site: 'Sitio nuevo',
    overview: 'Resumen',
    people: 'Personas',
    sites: 'Sitios',
    webhooks: 'Webhooks',
    imports: 'Importaciones',
    enterprise: 'Enterprise',
    orders: 'Pedidos',
    audit: 'Registro',
    messages: 'Mensajes',
    settings: 'Ajustes',
    account: 'Mi cuenta',
  },
}

export const addressOf = (place: Place): string => PLACES[place]

export const titleOf = (place: Place | 'console' | 'new_site', language: Language): string =>
  textsIn(TITLES, language)(place)

/** The navigation for this person, with the place they are at. */
export const placesIn = (language: Language, is_operator: boolean, current: Place | undefined) =>
  (Object.keys(PLACES) as Place[])
    .filter((place) => is_operator || place !== 'settings')
    .map((place) => ({
      href: PLACES[place],
      text: titleOf(place, language),
      is_current: place === current,
    }))
