// Made by test/client-types.test.ts from the descriptions of the routes, for version 1 of the package.

export interface paths {
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys of production tokens */
        get: operations["getWellKnownJwksJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Discovery of the OpenID provider */
        get: operations["getWellKnownOpenidConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/branding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Name, logo and colour of the hosted pages */
        get: operations["getAdminBranding"];
        /** Change them; a colour with too little contrast is 422 */
        put: operations["putAdminBranding"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Mail and SMS that wait, left or failed, and why */
        get: operations["getAdminMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/messages/{message_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a failed letter again */
        post: operations["postAdminMessagesByMessageIdResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/messages/{message_id}/send-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring the next attempt of a waiting message forward */
        post: operations["postAdminMessagesByMessageIdSendNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An order paid by hand */
        post: operations["postAdminOrders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{order_id}/transition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move an order on */
        post: operations["postAdminOrdersByOrderIdTransition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is kept for how long */
        get: operations["getAdminRetention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sandbox/wipe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Empty a sandbox */
        post: operations["postAdminSandboxWipe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Settings and their meanings, without secrets */
        get: operations["getAdminSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All sites, with those that wait for approval */
        get: operations["getAdminSites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/sites/{site_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** What only an operator sets: plan, trust, limits */
        patch: operations["patchAdminSitesBySiteId"];
        trace?: never;
    };
    "/api/v1/admin/sites/{site_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve one */
        post: operations["postAdminSitesBySiteIdApprove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The audit log */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same as CSV or JSON Lines */
        get: operations["getAuditExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mail that code again */
        post: operations["postAuthEmailResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Prove an address with the mailed code */
        post: operations["postAuthEmailVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tokens for the code of a hosted sign-in (PKCE) */
        post: operations["postAuthExchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Is a token active (RFC 7662) */
        post: operations["postAuthIntrospect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue access and refresh tokens; body: the user's credentials; result: access_token, refresh_token, user object */
        post: operations["postAuthLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke the current session */
        post: operations["postAuthLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/mfa/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a second step may be, and the challenge of a passkey */
        post: operations["postAuthMfaOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/mfa/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit an MFA code to complete login */
        post: operations["postAuthMfaVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change one's own password */
        post: operations["postAuthPasswordChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mail a code for a new password */
        post: operations["postAuthPasswordForgot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set it with that code */
        post: operations["postAuthPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Fresh proof for acts that need it */
        post: operations["postAuthReauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reauthenticate/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How that proof can be given */
        post: operations["postAuthReauthenticateOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate the refresh token and mint an access token */
        post: operations["postAuthRefresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a new user */
        post: operations["postAuthRegister"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a token (RFC 7009) */
        post: operations["postAuthRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Imports of people */
        get: operations["getBulkJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Status, success count, error rows */
        get: operations["getBulkJobsByJobId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop one */
        post: operations["postBulkJobsByJobIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/jobs/{job_id}/errors.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its refused rows, to mend and send again */
        get: operations["getBulkJobsByJobIdErrorsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload CSV as multipart/form-data; returns job_id
         * @description A CSV of people, see docs/integrating.md
         */
        post: operations["postBulkRegister"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sites that may know who one is */
        get: operations["getConsents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consents/{site_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a consent back */
        delete: operations["deleteConsentsBySiteId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/console/checklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is missing for a safe installation */
        get: operations["getConsoleChecklist"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/console/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures of the overview */
        get: operations["getConsoleFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/console/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an id of a log is: person, session, event or request */
        get: operations["getConsoleFind"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/console/people/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A person with factors, sites and sessions */
        get: operations["getConsolePeopleByUserId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/console/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sites that the overview can be narrowed to */
        get: operations["getConsoleSites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Mail of a sandbox, which is not sent */
        get: operations["getMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mfa/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One's own second factors */
        get: operations["getMfaFactors"];
        put?: never;
        /** Begin to enrol one */
        post: operations["postMfaFactors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mfa/factors/{factor_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove one */
        delete: operations["deleteMfaFactorsByFactorId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mfa/factors/{factor_id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finish with a first proof */
        post: operations["postMfaFactorsByFactorIdActivate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mfa/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** New recovery codes; the old ones end */
        post: operations["postMfaRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payments/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List orders (read-only) */
        get: operations["getPaymentsOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payments/orders/{order_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One order */
        get: operations["getPaymentsOrdersByOrderId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payments/stripe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Events of the payment provider, signed */
        post: operations["postPaymentsStripe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** People whose access tokens were revoked, as it happens: server-sent events, resumed by Last-Event-ID */
        get: operations["getRevocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Role catalog */
        get: operations["getRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The current user's sessions */
        get: operations["getSessions"];
        put?: never;
        post?: never;
        /** End all of one's other sessions */
        delete: operations["deleteSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a session */
        delete: operations["deleteSessionsBySessionId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions that ended, for sites that verify tokens themselves */
        get: operations["getSessionsRevocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys with their states */
        get: operations["getSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate them */
        post: operations["postSigningKeysRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The current user's sites */
        get: operations["getSites"];
        put?: never;
        /** Register a site; result includes its site_key */
        post: operations["postSites"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them, without secrets */
        get: operations["getSitesBySiteId"];
        put?: never;
        post?: never;
        /** Delete it; its code is typed */
        delete: operations["deleteSitesBySiteId"];
        options?: never;
        head?: never;
        /** Change it */
        patch: operations["patchSitesBySiteId"];
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** SAML and OpenID connections of the site */
        get: operations["getSitesBySiteIdConnections"];
        put?: never;
        /** Make one */
        post: operations["postSitesBySiteIdConnections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them */
        get: operations["getSitesBySiteIdConnectionsByConnectionId"];
        put?: never;
        post?: never;
        /** Delete it */
        delete: operations["deleteSitesBySiteIdConnectionsByConnectionId"];
        options?: never;
        head?: never;
        /** Change it */
        patch: operations["patchSitesBySiteIdConnectionsByConnectionId"];
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/claims": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the provider said about who came last, for a day */
        get: operations["getSitesBySiteIdConnectionsByConnectionIdClaims"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add a domain that its people have */
        post: operations["postSitesBySiteIdConnectionsByConnectionIdDomains"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove it */
        delete: operations["deleteSitesBySiteIdConnectionsByConnectionIdDomainsByDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/domains/{domain}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check its proof in DNS now */
        post: operations["postSitesBySiteIdConnectionsByConnectionIdDomainsByDomainVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/encryption-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new key for encrypted assertions */
        post: operations["postSitesBySiteIdConnectionsByConnectionIdEncryptionKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/scim-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** SCIM tokens of its directory, with their last use */
        get: operations["getSitesBySiteIdConnectionsByConnectionIdScimTokens"];
        put?: never;
        /** A new one, shown once */
        post: operations["postSitesBySiteIdConnectionsByConnectionIdScimTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/scim-tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one */
        delete: operations["deleteSitesBySiteIdConnectionsByConnectionIdScimTokensByTokenId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its last 50 sign-ins, and why one was refused */
        get: operations["getSitesBySiteIdConnectionsByConnectionIdSignIns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/connections/{connection_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A test sign-in; tells what would have happened */
        post: operations["postSitesBySiteIdConnectionsByConnectionIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/domain-proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the site proves its domain, and whether it did */
        get: operations["getSitesBySiteIdDomainProof"];
        put?: never;
        /** Check it now */
        post: operations["postSitesBySiteIdDomainProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/jwt-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new secret for HS256 tokens */
        post: operations["postSitesBySiteIdJwtSecretRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its keys with their last use */
        get: operations["getSitesBySiteIdKeys"];
        put?: never;
        /** A new key beside the old one */
        post: operations["postSitesBySiteIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/keys/{hint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one */
        delete: operations["deleteSitesBySiteIdKeysByHint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/openid-client": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The site as OpenID client */
        get: operations["getSitesBySiteIdOpenidClient"];
        /** Set its redirect addresses and rules */
        put: operations["putSitesBySiteIdOpenidClient"];
        post?: never;
        /** The site is no client any more */
        delete: operations["deleteSitesBySiteIdOpenidClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/openid-client/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new client secret, shown once */
        post: operations["postSitesBySiteIdOpenidClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/{site_id}/webhook-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new webhook secret, both for a day */
        post: operations["postSitesBySiteIdWebhookSecretRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sites/managed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sites that one administers */
        get: operations["getSitesManaged"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tenants/{tenant_id}/import-quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many people may still be imported today */
        get: operations["getTenantsByTenantIdImportQuota"];
        /** Set that number */
        put: operations["putTenantsByTenantIdImportQuota"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users, paginated */
        get: operations["getUsers"];
        put?: never;
        /** Create a user */
        post: operations["postUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user */
        get: operations["getUsersByUserId"];
        put?: never;
        post?: never;
        /** Delete a user */
        delete: operations["deleteUsersByUserId"];
        options?: never;
        head?: never;
        /** Update user fields */
        patch: operations["patchUsersByUserId"];
        trace?: never;
    };
    "/api/v1/users/{user_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All data about a person as JSON */
        get: operations["getUsersByUserIdExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Reset the factors of a person who lost them */
        delete: operations["deleteUsersByUserIdMfa"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Assign a role */
        post: operations["postUsersByUserIdRoles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/roles/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a role away */
        delete: operations["deleteUsersByUserIdRolesByRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End all sessions of a person */
        delete: operations["deleteUsersByUserIdSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/acts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suspend up to 100 people or end their sessions, with a result for each */
        post: operations["postUsersActs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who was erased, for sites that keep copies */
        get: operations["getUsersErasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Names and ids of up to 100 people of the site */
        post: operations["postUsersResolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Endpoints */
        get: operations["getWebhooks"];
        put?: never;
        /** Register a webhook endpoint (webhook_url) */
        post: operations["postWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One endpoint */
        get: operations["getWebhooksByWebhookId"];
        put?: never;
        post?: never;
        /** Delete it */
        delete: operations["deleteWebhooksByWebhookId"];
        options?: never;
        head?: never;
        /** Change or switch it */
        patch: operations["patchWebhooksByWebhookId"];
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event */
        post: operations["postWebhooksByWebhookIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Recent delivery attempts */
        get: operations["getWebhooksEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One event with deliveries and attempts */
        get: operations["getWebhooksEventsByEventId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/events/{event_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replay one event */
        post: operations["postWebhooksEventsByEventIdReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Success and delay per endpoint */
        get: operations["getWebhooksFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Does the service work */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Does the process run */
        get: operations["getLivez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openid/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tokens by code, refresh token or client credentials */
        post: operations["postOpenidToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openid/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Claims of the scope */
        get: operations["getOpenidUserinfo"];
        put?: never;
        /** The same */
        post: operations["postOpenidUserinfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** May it get requests */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys of sandbox tokens */
        get: operations["getSandboxWellKnownJwksJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Discovery in the sandbox */
        get: operations["getSandboxWellKnownOpenidConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/Bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Up to 100 operations, each a transaction of its own */
        post: operations["postScimV2ByConnectionIdBulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/Groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Groups of the directory, by filter, order and page */
        get: operations["getScimV2ByConnectionIdGroups"];
        put?: never;
        /** A new one; the role mapping refers to its name */
        post: operations["postScimV2ByConnectionIdGroups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/Groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them */
        get: operations["getScimV2ByConnectionIdGroupsById"];
        /** Replace the whole */
        put: operations["putScimV2ByConnectionIdGroupsById"];
        post?: never;
        /** Delete it; people stay, roles it gave go */
        delete: operations["deleteScimV2ByConnectionIdGroupsById"];
        options?: never;
        head?: never;
        /** Add and remove members, rename it */
        patch: operations["patchScimV2ByConnectionIdGroupsById"];
        trace?: never;
    };
    "/scim/v2/{connection_id}/ResourceTypes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** SCIM 2.0: its resources */
        get: operations["getScimV2ByConnectionIdResourceTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/ResourceTypes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them */
        get: operations["getScimV2ByConnectionIdResourceTypesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/Schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What they consist of */
        get: operations["getScimV2ByConnectionIdSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/Schemas/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of these schemas */
        get: operations["getScimV2ByConnectionIdSchemasById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/ServiceProviderConfig": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What of SCIM is supported */
        get: operations["getScimV2ByConnectionIdServiceProviderConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/Users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** People of the directory, by filter, order and page */
        get: operations["getScimV2ByConnectionIdUsers"];
        put?: never;
        /** A new one, at a proven domain of the connection */
        post: operations["postScimV2ByConnectionIdUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scim/v2/{connection_id}/Users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them */
        get: operations["getScimV2ByConnectionIdUsersById"];
        /** Replace the whole */
        put: operations["putScimV2ByConnectionIdUsersById"];
        post?: never;
        /** Detach and suspend them; the account stays */
        delete: operations["deleteScimV2ByConnectionIdUsersById"];
        options?: never;
        head?: never;
        /** Change parts; active: false suspends and ends sessions */
        patch: operations["patchScimV2ByConnectionIdUsersById"];
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the installation is; operators read why */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getWellKnownJwksJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            /** @enum {string} */
                            alg: "RS256";
                            e: string;
                            kid: string;
                            /** @enum {string} */
                            kty: "RSA";
                            n: string;
                            /** @enum {string} */
                            use: "sig";
                        }[];
                    };
                };
            };
            /** @description Default Response */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getWellKnownOpenidConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization_endpoint: string;
                        authorization_response_iss_parameter_supported: boolean;
                        backchannel_logout_session_supported: boolean;
                        backchannel_logout_supported: boolean;
                        claims_supported: string[];
                        code_challenge_methods_supported: string[];
                        end_session_endpoint: string;
                        grant_types_supported: string[];
                        id_token_signing_alg_values_supported: string[];
                        introspection_endpoint: string;
                        issuer: string;
                        jwks_uri: string;
                        prompt_values_supported: string[];
                        request_parameter_supported: boolean;
                        request_uri_parameter_supported: boolean;
                        response_modes_supported: string[];
                        response_types_supported: string[];
                        revocation_endpoint: string;
                        scopes_supported: string[];
                        subject_types_supported: string[];
                        token_endpoint: string;
                        token_endpoint_auth_methods_supported: string[];
                        ui_locales_supported: string[];
                        userinfo_endpoint: string;
                    };
                };
            };
            /** @description Default Response */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAdminBranding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        color: string | null;
                        logo_url: string | null;
                        name: string;
                        version: number;
                    };
                };
            };
        };
    };
    putAdminBranding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    color: string | null;
                    logo_url: string | null;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        color: string | null;
                        logo_url: string | null;
                        name: string;
                        version: number;
                    };
                };
            };
        };
    };
    getAdminMessages: {
        parameters: {
            query?: {
                cursor?: string;
                kind?: string;
                message_id?: string;
                page?: number;
                per_page?: number;
                recipient?: string;
                site_code?: string;
                status?: "queued" | "sent" | "failed" | "logged";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            attempts: number | null;
                            /** @enum {string} */
                            channel: "email" | "sms";
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            environment: "sandbox" | "production";
                            failure: string | null;
                            /** Format: date-time */
                            finished_at: string | null;
                            kind: string;
                            may_resend: boolean;
                            /** Format: uuid */
                            message_id: string;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            recipient: string | null;
                            /** Format: uuid */
                            resent_as: string | null;
                            site_code: string | null;
                            /** @enum {string} */
                            status: "queued" | "sent" | "failed" | "logged";
                            subject: string | null;
                            text: string | null;
                            /** Format: uuid */
                            user_id: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postAdminMessagesByMessageIdResend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        message_id: string;
                    };
                };
            };
        };
    };
    postAdminMessagesByMessageIdSendNow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        message_id: string;
                    };
                };
            };
        };
    };
    postAdminOrders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    amount: number;
                    /** @enum {string} */
                    currency?: "USD";
                    /** @enum {string} */
                    plan: "starter" | "business" | "enterprise";
                    site_code: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        amount: number;
                        /** Format: date-time */
                        created_at: string;
                        /** @enum {string} */
                        currency: "USD";
                        /** Format: date-time */
                        fulfilled_at: string | null;
                        /** @enum {string} */
                        kind: "plan" | "registration_usage";
                        /** Format: uuid */
                        order_id: string;
                        /** Format: date-time */
                        paid_at: string | null;
                        /** Format: date-time */
                        period_end: string | null;
                        /** Format: date-time */
                        period_start: string | null;
                        plan: string | null;
                        registrations: number | null;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        /** @enum {string} */
                        status: "pending" | "paid" | "fulfilled" | "failed" | "canceled" | "refunded";
                    };
                };
            };
        };
    };
    postAdminOrdersByOrderIdTransition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    status: "pending" | "paid" | "fulfilled" | "failed" | "canceled" | "refunded";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        amount: number;
                        /** Format: date-time */
                        created_at: string;
                        /** @enum {string} */
                        currency: "USD";
                        /** Format: date-time */
                        fulfilled_at: string | null;
                        /** @enum {string} */
                        kind: "plan" | "registration_usage";
                        /** Format: uuid */
                        order_id: string;
                        /** Format: date-time */
                        paid_at: string | null;
                        /** Format: date-time */
                        period_end: string | null;
                        /** Format: date-time */
                        period_start: string | null;
                        plan: string | null;
                        registrations: number | null;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        /** @enum {string} */
                        status: "pending" | "paid" | "fulfilled" | "failed" | "canceled" | "refunded";
                    };
                };
            };
        };
    };
    getAdminRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            every_seconds: number;
                            rows: number;
                            sweep: string;
                        }[];
                    };
                };
            };
        };
    };
    postAdminSandboxWipe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {boolean} */
                    all?: true;
                    site_code?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: number;
                        imports: number;
                        is_done: boolean;
                        memberships: number;
                        messages: number;
                        people: number;
                        sessions: number;
                    };
                };
            };
        };
    };
    getAdminSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deprecations: {
                            link: string;
                            route: string;
                            since: string;
                            successor?: string;
                            sunset: string;
                        }[];
                        kept: {
                            [key: string]: number;
                        };
                        mails: {
                            kind: string;
                            subject: string;
                            text: string;
                            translations: {
                                de: {
                                    subject: string;
                                    text: string;
                                };
                                es: {
                                    subject: string;
                                    text: string;
                                };
                            };
                        }[];
                        settings: {
                            is_default: boolean;
                            is_secret: boolean;
                            meaning: string;
                            name: string;
                            translations: {
                                de: string;
                                es: string;
                            };
                            value: string;
                        }[];
                    };
                };
            };
        };
    };
    getAdminSites: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
                status?: "active" | "pending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            created_at: string;
                            created_by_email: string | null;
                            domain: string;
                            domain_verified: boolean;
                            /** @enum {string} */
                            environment: "sandbox" | "production";
                            is_first_party: boolean;
                            name: string;
                            site_code: string;
                            /** Format: uuid */
                            site_id: string;
                            /** @enum {string} */
                            status: "active" | "pending";
                            /** Format: uuid */
                            tenant_id: string;
                            tenant_name: string;
                            trust_client_ip: boolean;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    patchAdminSitesBySiteId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    is_first_party?: boolean;
                    /** @enum {string} */
                    status?: "active" | "pending";
                    trust_client_ip?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        created_by_email: string | null;
                        domain: string;
                        domain_verified: boolean;
                        /** @enum {string} */
                        environment: "sandbox" | "production";
                        is_first_party: boolean;
                        name: string;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        /** @enum {string} */
                        status: "active" | "pending";
                        /** Format: uuid */
                        tenant_id: string;
                        tenant_name: string;
                        trust_client_ip: boolean;
                    };
                };
            };
        };
    };
    postAdminSitesBySiteIdApprove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        created_by_email: string | null;
                        domain: string;
                        domain_verified: boolean;
                        /** @enum {string} */
                        environment: "sandbox" | "production";
                        is_first_party: boolean;
                        name: string;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        /** @enum {string} */
                        status: "active" | "pending";
                        /** Format: uuid */
                        tenant_id: string;
                        tenant_name: string;
                        trust_client_ip: boolean;
                    };
                };
            };
        };
    };
    getAudit: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                audit_id?: string;
                cursor?: string;
                environment?: "sandbox" | "production";
                page?: number;
                per_page?: number;
                since?: string;
                site_code?: string;
                subject?: string;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            action: string;
                            /** Format: uuid */
                            actor_user_id: string | null;
                            /** Format: uuid */
                            audit_id: string;
                            details: {
                                [key: string]: unknown;
                            };
                            ip_address: string | null;
                            /** Format: date-time */
                            occurred_at: string;
                            site_code: string | null;
                            /** Format: uuid */
                            subject_user_id: string | null;
                            user_agent: string | null;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getAuditExport: {
        parameters: {
            query: {
                action?: string;
                actor?: string;
                audit_id?: string;
                environment?: "sandbox" | "production";
                format: "csv" | "jsonl";
                since?: string;
                site_code?: string;
                subject?: string;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the entries, each on a line */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                    "text/csv": string;
                };
            };
        };
    };
    postAuthEmailResend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        accepted: true;
                    };
                };
            };
        };
    };
    postAuthEmailVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password?: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        avatar_url: string | null;
                        /** Format: date-time */
                        created_at: string;
                        display_name: string | null;
                        email: string;
                        email_verified: boolean;
                        external_id: string | null;
                        family_name: string | null;
                        given_name: string | null;
                        /** Format: date-time */
                        last_login_at: string | null;
                        locale: string | null;
                        /** @enum {string} */
                        member_status?: "active" | "suspended";
                        metadata: {
                            [key: string]: unknown;
                        };
                        mfa_enabled: boolean;
                        mfa_methods: string[];
                        pending_email?: string | null;
                        phone: string | null;
                        phone_verified: boolean;
                        /** @enum {string} */
                        registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                        roles: {
                            role: string;
                            site_code: string;
                        }[];
                        session_version: number;
                        /** @enum {string} */
                        status: "active" | "suspended";
                        time_zone: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        /** Format: uuid */
                        user_id: string;
                        username: string | null;
                        version: number;
                    };
                };
            };
        };
    };
    postAuthExchange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    code_verifier?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        access_token_hs256?: string;
                        expires_in: number;
                        /** @enum {boolean} */
                        mfa_required: false;
                        refresh_expires_in: number;
                        refresh_token: string;
                        /** Format: uuid */
                        session_id: string;
                        /** @enum {string} */
                        token_type: "Bearer";
                        user: {
                            avatar_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            display_name: string | null;
                            email: string;
                            email_verified: boolean;
                            external_id: string | null;
                            family_name: string | null;
                            given_name: string | null;
                            /** Format: date-time */
                            last_login_at: string | null;
                            locale: string | null;
                            /** @enum {string} */
                            member_status?: "active" | "suspended";
                            metadata: {
                                [key: string]: unknown;
                            };
                            mfa_enabled: boolean;
                            mfa_methods: string[];
                            pending_email?: string | null;
                            phone: string | null;
                            phone_verified: boolean;
                            /** @enum {string} */
                            registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                            roles: {
                                role: string;
                                site_code: string;
                            }[];
                            session_version: number;
                            /** @enum {string} */
                            status: "active" | "suspended";
                            time_zone: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            user_id: string;
                            username: string | null;
                            version: number;
                        };
                    };
                };
            };
        };
    };
    postAuthIntrospect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    session_id?: string;
                    token?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        active: boolean;
                        amr?: string[];
                        aud?: string;
                        auth_time?: number;
                        client_id?: string;
                        email?: string;
                        /** @enum {string} */
                        env?: "sandbox" | "production";
                        exp?: number;
                        iat?: number;
                        iss?: string;
                        jti?: string;
                        nbf?: number;
                        permissions?: string[];
                        role?: string;
                        /** Format: uuid */
                        sid?: string;
                        site_code?: string;
                        /** Format: uuid */
                        site_id?: string;
                        /** Format: uuid */
                        sub?: string;
                        sv?: number;
                        /** Format: uuid */
                        tenant_id?: string;
                        /** @enum {string} */
                        token_type?: "Bearer";
                    };
                };
            };
        };
    };
    postAuthLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    device_name?: string;
                    email?: string;
                    password: string;
                    username?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        access_token_hs256?: string;
                        expires_in: number;
                        /** @enum {boolean} */
                        mfa_required: false;
                        refresh_expires_in: number;
                        refresh_token: string;
                        /** Format: uuid */
                        session_id: string;
                        /** @enum {string} */
                        token_type: "Bearer";
                        user: {
                            avatar_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            display_name: string | null;
                            email: string;
                            email_verified: boolean;
                            external_id: string | null;
                            family_name: string | null;
                            given_name: string | null;
                            /** Format: date-time */
                            last_login_at: string | null;
                            locale: string | null;
                            /** @enum {string} */
                            member_status?: "active" | "suspended";
                            metadata: {
                                [key: string]: unknown;
                            };
                            mfa_enabled: boolean;
                            mfa_methods: string[];
                            pending_email?: string | null;
                            phone: string | null;
                            phone_verified: boolean;
                            /** @enum {string} */
                            registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                            roles: {
                                role: string;
                                site_code: string;
                            }[];
                            session_version: number;
                            /** @enum {string} */
                            status: "active" | "suspended";
                            time_zone: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            user_id: string;
                            username: string | null;
                            version: number;
                        };
                    } | {
                        mfa_expires_in: number;
                        mfa_methods: ("totp" | "webauthn" | "email" | "sms" | "recovery_code")[];
                        /** @enum {boolean} */
                        mfa_required: true;
                        mfa_token: string;
                    };
                };
            };
        };
    };
    postAuthLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default false */
                    everywhere?: boolean;
                    refresh_token?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        revoked: true;
                        /** Format: uuid */
                        session_id: string;
                        session_version: number;
                    };
                };
            };
        };
    };
    postAuthMfaOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    method: "webauthn" | "email" | "sms";
                    mfa_token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        method: "webauthn" | "email" | "sms";
                        public_key?: {
                            [key: string]: unknown;
                        };
                        resend_after?: number;
                        sent_to?: string;
                    };
                };
            };
        };
    };
    postAuthMfaVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code?: string;
                    credential?: Record<string, never>;
                    /** @enum {string} */
                    method?: "totp" | "webauthn" | "email" | "sms" | "recovery_code";
                    mfa_token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        access_token_hs256?: string;
                        expires_in: number;
                        /** @enum {boolean} */
                        mfa_required: false;
                        refresh_expires_in: number;
                        refresh_token: string;
                        /** Format: uuid */
                        session_id: string;
                        /** @enum {string} */
                        token_type: "Bearer";
                        user: {
                            avatar_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            display_name: string | null;
                            email: string;
                            email_verified: boolean;
                            external_id: string | null;
                            family_name: string | null;
                            given_name: string | null;
                            /** Format: date-time */
                            last_login_at: string | null;
                            locale: string | null;
                            /** @enum {string} */
                            member_status?: "active" | "suspended";
                            metadata: {
                                [key: string]: unknown;
                            };
                            mfa_enabled: boolean;
                            mfa_methods: string[];
                            pending_email?: string | null;
                            phone: string | null;
                            phone_verified: boolean;
                            /** @enum {string} */
                            registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                            roles: {
                                role: string;
                                site_code: string;
                            }[];
                            session_version: number;
                            /** @enum {string} */
                            status: "active" | "suspended";
                            time_zone: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            user_id: string;
                            username: string | null;
                            version: number;
                        };
                    };
                };
            };
        };
    };
    postAuthPasswordChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAuthPasswordForgot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        accepted: true;
                    };
                };
            };
        };
    };
    postAuthPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAuthReauthenticate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code?: string;
                    credential?: Record<string, never>;
                    /** @enum {string} */
                    method?: "totp" | "webauthn" | "email" | "sms" | "recovery_code";
                    mfa_token?: string;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        fresh_for: number;
                        /** @enum {boolean} */
                        mfa_required: false;
                    } | {
                        mfa_expires_in: number;
                        mfa_methods: ("totp" | "webauthn" | "email" | "sms" | "recovery_code")[];
                        /** @enum {boolean} */
                        mfa_required: true;
                        mfa_token: string;
                    };
                };
            };
        };
    };
    postAuthReauthenticateOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    method: "webauthn" | "email" | "sms";
                    mfa_token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        method: "webauthn" | "email" | "sms";
                        public_key?: {
                            [key: string]: unknown;
                        };
                        resend_after?: number;
                        sent_to?: string;
                    };
                };
            };
        };
    };
    postAuthRefresh: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        access_token_hs256?: string;
                        expires_in: number;
                        /** @enum {boolean} */
                        mfa_required: false;
                        refresh_expires_in: number;
                        refresh_token: string;
                        /** Format: uuid */
                        session_id: string;
                        /** @enum {string} */
                        token_type: "Bearer";
                        user: {
                            avatar_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            display_name: string | null;
                            email: string;
                            email_verified: boolean;
                            external_id: string | null;
                            family_name: string | null;
                            given_name: string | null;
                            /** Format: date-time */
                            last_login_at: string | null;
                            locale: string | null;
                            /** @enum {string} */
                            member_status?: "active" | "suspended";
                            metadata: {
                                [key: string]: unknown;
                            };
                            mfa_enabled: boolean;
                            mfa_methods: string[];
                            pending_email?: string | null;
                            phone: string | null;
                            phone_verified: boolean;
                            /** @enum {string} */
                            registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                            roles: {
                                role: string;
                                site_code: string;
                            }[];
                            session_version: number;
                            /** @enum {string} */
                            status: "active" | "suspended";
                            time_zone: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            user_id: string;
                            username: string | null;
                            version: number;
                        };
                    };
                };
            };
        };
    };
    postAuthRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    display_name?: string;
                    email: string;
                    family_name?: string;
                    given_name?: string;
                    locale?: string;
                    metadata?: Record<string, never>;
                    password: string;
                    phone?: string;
                    time_zone?: string;
                    username?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            avatar_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            display_name: string | null;
                            email: string;
                            email_verified: boolean;
                            external_id: string | null;
                            family_name: string | null;
                            given_name: string | null;
                            /** Format: date-time */
                            last_login_at: string | null;
                            locale: string | null;
                            /** @enum {string} */
                            member_status?: "active" | "suspended";
                            metadata: {
                                [key: string]: unknown;
                            };
                            mfa_enabled: boolean;
                            mfa_methods: string[];
                            pending_email?: string | null;
                            phone: string | null;
                            phone_verified: boolean;
                            /** @enum {string} */
                            registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                            roles: {
                                role: string;
                                site_code: string;
                            }[];
                            session_version: number;
                            /** @enum {string} */
                            status: "active" | "suspended";
                            time_zone: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            user_id: string;
                            username: string | null;
                            version: number;
                        };
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    postAuthRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    getBulkJobs: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
                site_code?: string;
                status?: "queued" | "processing" | "completed" | "completed_with_errors" | "failed" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            cancel_requested: boolean;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: uuid */
                            created_by: string;
                            dry_run: boolean;
                            emit_events: boolean;
                            error_count: number;
                            failure: {
                                code: string;
                                message: string;
                            } | null;
                            /** Format: date-time */
                            finished_at: string | null;
                            /** Format: uuid */
                            job_id: string;
                            /** @enum {string} */
                            on_conflict: "skip" | "update" | "error";
                            processed_rows: number;
                            site_code: string;
                            skipped_count: number;
                            /** Format: date-time */
                            started_at: string | null;
                            /** @enum {string} */
                            status: "queued" | "processing" | "completed" | "completed_with_errors" | "failed" | "canceled";
                            success_count: number;
                            total_rows: number;
                            warnings: {
                                code: string;
                                message: string;
                                rows: number;
                            }[];
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getBulkJobsByJobId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cancel_requested: boolean;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string;
                        dry_run: boolean;
                        emit_events: boolean;
                        error_count: number;
                        error_rows: {
                            code: string;
                            field: string | null;
                            line: number;
                            message: string;
                            row: number;
                        }[];
                        error_rows_truncated: boolean;
                        failure: {
                            code: string;
                            message: string;
                        } | null;
                        /** Format: date-time */
                        finished_at: string | null;
                        /** Format: uuid */
                        job_id: string;
                        /** @enum {string} */
                        on_conflict: "skip" | "update" | "error";
                        processed_rows: number;
                        site_code: string;
                        skipped_count: number;
                        /** Format: date-time */
                        started_at: string | null;
                        /** @enum {string} */
                        status: "queued" | "processing" | "completed" | "completed_with_errors" | "failed" | "canceled";
                        success_count: number;
                        total_rows: number;
                        warning_rows: {
                            code: string;
                            field: string | null;
                            line: number;
                            message: string;
                            row: number;
                        }[];
                        warnings: {
                            code: string;
                            message: string;
                            rows: number;
                        }[];
                    };
                };
            };
        };
    };
    postBulkJobsByJobIdCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cancel_requested: boolean;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string;
                        dry_run: boolean;
                        emit_events: boolean;
                        error_count: number;
                        error_rows: {
                            code: string;
                            field: string | null;
                            line: number;
                            message: string;
                            row: number;
                        }[];
                        error_rows_truncated: boolean;
                        failure: {
                            code: string;
                            message: string;
                        } | null;
                        /** Format: date-time */
                        finished_at: string | null;
                        /** Format: uuid */
                        job_id: string;
                        /** @enum {string} */
                        on_conflict: "skip" | "update" | "error";
                        processed_rows: number;
                        site_code: string;
                        skipped_count: number;
                        /** Format: date-time */
                        started_at: string | null;
                        /** @enum {string} */
                        status: "queued" | "processing" | "completed" | "completed_with_errors" | "failed" | "canceled";
                        success_count: number;
                        total_rows: number;
                        warning_rows: {
                            code: string;
                            field: string | null;
                            line: number;
                            message: string;
                            row: number;
                        }[];
                        warnings: {
                            code: string;
                            message: string;
                            rows: number;
                        }[];
                    };
                };
            };
        };
    };
    getBulkJobsByJobIdErrorsCsv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description row, line, field, code, message */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    postBulkRegister: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @default false */
                    dry_run?: boolean;
                    /** @default false */
                    emit_events?: boolean;
                    /** Format: binary */
                    file: string;
                    /**
                     * @default skip
                     * @enum {string}
                     */
                    on_conflict?: "skip" | "update" | "error";
                    /**
                     * @description Of the cells; told by the header if absent
                     * @enum {string}
                     */
                    separator?: "comma" | "semicolon" | "tab";
                    site_code?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        job_id: string;
                        /** @enum {string} */
                        status: "queued" | "processing" | "completed" | "completed_with_errors" | "failed" | "canceled";
                    };
                };
            };
        };
    };
    getConsents: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            domain: string;
                            /** @enum {string} */
                            given_by: "page" | "password" | "organisation" | "site";
                            is_domain_verified: boolean;
                            name: string;
                            role: string | null;
                            scopes: string[];
                            /** Format: date-time */
                            since: string;
                            site_code: string;
                            /** Format: uuid */
                            site_id: string;
                            tenant_name: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    deleteConsentsBySiteId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getConsoleChecklist: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backup: boolean;
                        first_site: boolean;
                        mail_server: boolean;
                        public_address: boolean;
                        second_factor: boolean;
                    };
                };
            };
        };
    };
    getConsoleFigures: {
        parameters: {
            query?: {
                site_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        active_people: {
                            /** Format: date-time */
                            day: string;
                            people: number | null;
                        }[];
                        jobs_under_way: number;
                        open_orders: number;
                        sign_ins: {
                            failed: number;
                            /** Format: date-time */
                            hour: string;
                            succeeded: number;
                        }[];
                        webhooks: {
                            delivered: number;
                            failed: number;
                            lag_ms: number | null;
                            waiting: number;
                        };
                    };
                };
            };
        };
    };
    getConsoleFind: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            display_name: string | null;
                            email: string | null;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "person" | "external_id" | "session" | "event" | "site" | "import" | "order";
                            run: number | null;
                            site_code: string | null;
                            /** Format: uuid */
                            user_id: string | null;
                            /** Format: uuid */
                            webhook_id: string | null;
                        }[];
                    };
                };
            };
        };
    };
    getConsolePeopleByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        is_exclusive: boolean;
                        is_self: boolean;
                        memberships: {
                            external_id: string | null;
                            /** Format: date-time */
                            joined_at: string;
                            name: string;
                            role: string;
                            scopes: string[];
                            site_code: string;
                            /** Format: uuid */
                            site_id: string;
                            /** @enum {string} */
                            status: "active" | "suspended";
                        }[];
                        sessions: {
                            auth_methods: string[];
                            /** Format: date-time */
                            created_at: string;
                            device_name: string | null;
                            /** Format: date-time */
                            expires_at: string;
                            ip_address: string | null;
                            /** Format: date-time */
                            last_seen_at: string;
                            /** Format: uuid */
                            session_id: string;
                            site_code: string;
                            user_agent: string | null;
                        }[];
                    };
                };
            };
        };
    };
    getConsoleSites: {
        parameters: {
            query?: {
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @enum {string} */
                            environment: "sandbox" | "production";
                            is_first_party: boolean;
                            name: string;
                            /** @enum {string} */
                            plan: "starter" | "business" | "enterprise";
                            site_code: string;
                            /** Format: uuid */
                            site_id: string;
                            /** Format: uuid */
                            tenant_id: string;
                        }[];
                    };
                };
            };
        };
    };
    getMessages: {
        parameters: {
            query?: {
                cursor?: string;
                kind?: string;
                message_id?: string;
                page?: number;
                per_page?: number;
                recipient?: string;
                site_code?: string;
                status?: "queued" | "sent" | "failed" | "logged";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            attempts: number | null;
                            /** @enum {string} */
                            channel: "email" | "sms";
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            environment: "sandbox" | "production";
                            failure: string | null;
                            /** Format: date-time */
                            finished_at: string | null;
                            kind: string;
                            may_resend: boolean;
                            /** Format: uuid */
                            message_id: string;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            recipient: string | null;
                            /** Format: uuid */
                            resent_as: string | null;
                            site_code: string | null;
                            /** @enum {string} */
                            status: "queued" | "sent" | "failed" | "logged";
                            subject: string | null;
                            text: string | null;
                            /** Format: uuid */
                            user_id: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getMfaFactors: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            activated_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: uuid */
                            factor_id: string;
                            /** Format: date-time */
                            last_used_at: string | null;
                            name: string | null;
                            /** @enum {string} */
                            type: "totp" | "webauthn" | "email" | "sms";
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        recovery_codes_left: number;
                        total: number;
                    };
                };
            };
        };
    };
    postMfaFactors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    password?: string;
                    phone?: string;
                    /** @enum {string} */
                    type: "totp" | "webauthn" | "email" | "sms";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        expires_in: number;
                        /** Format: uuid */
                        factor_id: string;
                        name: string | null;
                        otpauth_uri?: string;
                        public_key?: {
                            [key: string]: unknown;
                        };
                        secret?: string;
                        sent_to?: string;
                        /** @enum {string} */
                        type: "totp" | "webauthn" | "email" | "sms";
                    };
                };
            };
        };
    };
    deleteMfaFactorsByFactorId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                factor_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postMfaFactorsByFactorIdActivate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                factor_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code?: string;
                    credential?: Record<string, never>;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        activated_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        factor_id: string;
                        /** Format: date-time */
                        last_used_at: string | null;
                        name: string | null;
                        /** @enum {string} */
                        type: "totp" | "webauthn" | "email" | "sms";
                    };
                };
            };
        };
    };
    postMfaRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        codes: string[];
                    };
                };
            };
        };
    };
    getPaymentsOrders: {
        parameters: {
            query?: {
                cursor?: string;
                kind?: "plan" | "registration_usage";
                page?: number;
                per_page?: number;
                site_code?: string;
                status?: "pending" | "paid" | "fulfilled" | "failed" | "canceled" | "refunded";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            amount: number;
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            currency: "USD";
                            /** Format: date-time */
                            fulfilled_at: string | null;
                            /** @enum {string} */
                            kind: "plan" | "registration_usage";
                            /** Format: uuid */
                            order_id: string;
                            /** Format: date-time */
                            paid_at: string | null;
                            /** Format: date-time */
                            period_end: string | null;
                            /** Format: date-time */
                            period_start: string | null;
                            plan: string | null;
                            registrations: number | null;
                            site_code: string;
                            /** Format: uuid */
                            site_id: string;
                            /** @enum {string} */
                            status: "pending" | "paid" | "fulfilled" | "failed" | "canceled" | "refunded";
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getPaymentsOrdersByOrderId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        amount: number;
                        /** Format: date-time */
                        created_at: string;
                        /** @enum {string} */
                        currency: "USD";
                        /** Format: date-time */
                        fulfilled_at: string | null;
                        /** @enum {string} */
                        kind: "plan" | "registration_usage";
                        /** Format: uuid */
                        order_id: string;
                        /** Format: date-time */
                        paid_at: string | null;
                        /** Format: date-time */
                        period_end: string | null;
                        /** Format: date-time */
                        period_start: string | null;
                        plan: string | null;
                        registrations: number | null;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        /** @enum {string} */
                        status: "pending" | "paid" | "fulfilled" | "failed" | "canceled" | "refunded";
                    };
                };
            };
        };
    };
    postPaymentsStripe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        received: true;
                    };
                };
            };
        };
    };
    getRevocations: {
        parameters: {
            query?: never;
            header?: {
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events: `revoked` with {sub, session_version, at}, and `ready` when all that was there is told */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    getRoles: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                site_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            description: string;
                            is_admin: boolean;
                            is_default: boolean;
                            name: string;
                            permissions: string[];
                            role: string;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getSessions: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
                status?: "active" | "revoked" | "expired" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            auth_methods: string[];
                            /** Format: date-time */
                            created_at: string;
                            current: boolean;
                            device_name: string | null;
                            /** Format: date-time */
                            expires_at: string;
                            ip_address: string | null;
                            /** Format: date-time */
                            last_seen_at: string;
                            revoke_reason: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: uuid */
                            session_id: string;
                            site_code: string;
                            /** @enum {string} */
                            status: "active" | "revoked" | "expired";
                            user_agent: string | null;
                            /** Format: uuid */
                            user_id: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    deleteSessions: {
        parameters: {
            query?: {
                except_current?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteSessionsBySessionId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSessionsRevocations: {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cursor: string;
                        has_more: boolean;
                        items: {
                            /** Format: date-time */
                            revoked_at: string;
                            session_version: number;
                            /** Format: uuid */
                            user_id: string;
                        }[];
                    };
                };
            };
        };
    };
    getSigningKeys: {
        parameters: {
            query?: {
                cursor?: string;
                environment?: "sandbox" | "production";
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            activated_at: string | null;
                            /** Format: date-time */
                            activates_at: string | null;
                            /** @enum {string} */
                            alg: "RS256";
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            environment: "sandbox" | "production";
                            kid: string;
                            /** @enum {string} */
                            purpose: "access" | "logout";
                            /** Format: date-time */
                            retiring_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** @enum {string} */
                            state: "standby" | "active" | "retiring" | "revoked";
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postSigningKeysRotate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    emergency?: string;
                    /** @enum {string} */
                    environment: "sandbox" | "production";
                    /** @enum {string} */
                    purpose?: "access" | "logout";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        activates_at: string | null;
                        active_kid: string;
                        /** @enum {string} */
                        environment: "sandbox" | "production";
                        /** @enum {string} */
                        purpose: "access" | "logout";
                        revoked_kid: string | null;
                        standby_kid: string;
                    };
                };
            };
        };
    };
    getSites: {
        parameters: {
            query?: {
                cursor?: string;
                environment?: "sandbox" | "production";
                page?: number;
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            callback_url?: string | null;
                            /** Format: date-time */
                            created_at: string;
                            domain: string;
                            domain_verified: boolean;
                            /** @enum {string} */
                            environment: "sandbox" | "production";
                            name: string;
                            /** @enum {string} */
                            plan?: "starter" | "business" | "enterprise";
                            /** @enum {string} */
                            refresh_reuse_policy?: "tolerant" | "strict";
                            /** @enum {string} */
                            require_mfa?: "none" | "admins" | "all";
                            retention_days?: number | null;
                            return_urls?: string[];
                            role: string;
                            session_max_days?: number | null;
                            site_code: string;
                            /** Format: uuid */
                            site_id: string;
                            site_key_hints?: string[];
                            /** @enum {string} */
                            status: "active" | "pending";
                            /** Format: uuid */
                            tenant_id: string;
                            /** @enum {string} */
                            token_signing?: "HS256" | "RS256" | "dual";
                            trust_client_ip?: boolean;
                            /** Format: date-time */
                            updated_at?: string;
                            version?: number;
                            webhook_url?: string | null;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postSites: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    callback_url?: string;
                    domain?: string;
                    /**
                     * @default sandbox
                     * @enum {string}
                     */
                    environment?: "sandbox" | "production";
                    is_apart?: boolean;
                    name: string;
                    return_urls?: string[];
                    site_code?: string;
                    /** Format: uuid */
                    tenant_id?: string;
                    /**
                     * @default HS256
                     * @enum {string}
                     */
                    token_signing?: "HS256" | "RS256" | "dual";
                    webhook_url?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        callback_url: string | null;
                        /** Format: date-time */
                        created_at: string;
                        domain: string;
                        domain_verified: boolean;
                        /** @enum {string} */
                        environment: "sandbox" | "production";
                        jwt_secret: string;
                        name: string;
                        /** @enum {string} */
                        plan: "starter" | "business" | "enterprise";
                        /** @enum {string} */
                        refresh_reuse_policy: "tolerant" | "strict";
                        /** @enum {string} */
                        require_mfa: "none" | "admins" | "all";
                        retention_days: number | null;
                        return_urls: string[];
                        role: string;
                        session_max_days: number | null;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        site_key: string;
                        site_key_hints: string[];
                        /** @enum {string} */
                        status: "active" | "pending";
                        /** Format: uuid */
                        tenant_id: string;
                        /** @enum {string} */
                        token_signing: "HS256" | "RS256" | "dual";
                        trust_client_ip: boolean;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                        webhook_secret: string;
                        webhook_url: string | null;
                    };
                };
            };
        };
    };
    getSitesBySiteId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        callback_url?: string | null;
                        /** Format: date-time */
                        created_at: string;
                        domain: string;
                        domain_verified: boolean;
                        /** @enum {string} */
                        environment: "sandbox" | "production";
                        name: string;
                        /** @enum {string} */
                        plan?: "starter" | "business" | "enterprise";
                        /** @enum {string} */
                        refresh_reuse_policy?: "tolerant" | "strict";
                        /** @enum {string} */
                        require_mfa?: "none" | "admins" | "all";
                        retention_days?: number | null;
                        return_urls?: string[];
                        role: string;
                        session_max_days?: number | null;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        site_key_hints?: string[];
                        /** @enum {string} */
                        status: "active" | "pending";
                        /** Format: uuid */
                        tenant_id: string;
                        /** @enum {string} */
                        token_signing?: "HS256" | "RS256" | "dual";
                        trust_client_ip?: boolean;
                        /** Format: date-time */
                        updated_at?: string;
                        version?: number;
                        webhook_url?: string | null;
                    };
                };
            };
        };
    };
    deleteSitesBySiteId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchSitesBySiteId: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
            };
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    callback_url?: string | null;
                    domain?: string;
                    name?: string;
                    /** @enum {string} */
                    refresh_reuse_policy?: "tolerant" | "strict";
                    /** @enum {string} */
                    require_mfa?: "none" | "admins" | "all";
                    retention_days?: number | null;
                    return_urls?: string[];
                    session_max_days?: number | null;
                    /** @enum {string} */
                    token_signing?: "HS256" | "RS256" | "dual";
                    trust_client_ip?: boolean;
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        callback_url?: string | null;
                        /** Format: date-time */
                        created_at: string;
                        domain: string;
                        domain_verified: boolean;
                        /** @enum {string} */
                        environment: "sandbox" | "production";
                        name: string;
                        /** @enum {string} */
                        plan?: "starter" | "business" | "enterprise";
                        /** @enum {string} */
                        refresh_reuse_policy?: "tolerant" | "strict";
                        /** @enum {string} */
                        require_mfa?: "none" | "admins" | "all";
                        retention_days?: number | null;
                        return_urls?: string[];
                        role: string;
                        session_max_days?: number | null;
                        site_code: string;
                        /** Format: uuid */
                        site_id: string;
                        site_key_hints?: string[];
                        /** @enum {string} */
                        status: "active" | "pending";
                        /** Format: uuid */
                        tenant_id: string;
                        /** @enum {string} */
                        token_signing?: "HS256" | "RS256" | "dual";
                        trust_client_ip?: boolean;
                        /** Format: date-time */
                        updated_at?: string;
                        version?: number;
                        webhook_url?: string | null;
                    };
                };
            };
        };
    };
    getSitesBySiteIdConnections: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            acs_url?: string;
                            attribute_mapping: {
                                display_name?: string;
                                email?: string;
                                email_verified?: string;
                                family_name?: string;
                                given_name?: string;
                                locale?: string;
                            };
                            backchannel_logout_uri?: string;
                            client_id: string | null;
                            /** Format: uuid */
                            connection_id: string;
                            /** Format: date-time */
                            created_at: string;
                            domains: {
                                domain: string;
                                txt_name: string;
                                txt_value: string;
                                /** Format: date-time */
                                verified_at: string | null;
                                /** @enum {string|null} */
                                verified_by: "dns" | "operator" | null;
                            }[];
                            encryption_keys?: {
                                certificate: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                ends_at: string | null;
                                /** Format: uuid */
                                key_id: string;
                            }[];
                            has_client_secret: boolean;
                            has_metadata_xml: boolean;
                            issuer: string | null;
                            metadata_url: string | null;
                            name: string;
                            redirect_uri?: string;
                            /** @enum {string} */
                            required_signature?: "either" | "assertion" | "response" | "both";
                            role_attribute: string | null;
                            role_mapping: {
                                role: string;
                                value: string;
                            }[];
                            /** Format: uuid */
                            site_id: string;
                            slo_url?: string;
                            sp_entity_id?: string;
                            start_url: string;
                            /** @enum {string} */
                            status: "active" | "disabled";
                            /** @enum {string} */
                            type: "oidc" | "saml";
                            /** Format: date-time */
                            updated_at: string;
                            version: number;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postSitesBySiteIdConnections: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    attribute_mapping?: {
                        display_name?: string;
                        email?: string;
                        email_verified?: string;
                        family_name?: string;
                        given_name?: string;
                        locale?: string;
                    };
                    client_id?: string;
                    client_secret?: string | null;
                    issuer?: string;
                    metadata_url?: string;
                    metadata_xml?: string;
                    name: string;
                    /** @enum {string} */
                    required_signature?: "either" | "assertion" | "response" | "both";
                    role_attribute?: string | null;
                    role_mapping?: {
                        role: string;
                        value: string;
                    }[];
                    /** @enum {string} */
                    type: "oidc" | "saml";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        acs_url?: string;
                        attribute_mapping: {
                            display_name?: string;
                            email?: string;
                            email_verified?: string;
                            family_name?: string;
                            given_name?: string;
                            locale?: string;
                        };
                        backchannel_logout_uri?: string;
                        client_id: string | null;
                        /** Format: uuid */
                        connection_id: string;
                        /** Format: date-time */
                        created_at: string;
                        domains: {
                            domain: string;
                            txt_name: string;
                            txt_value: string;
                            /** Format: date-time */
                            verified_at: string | null;
                            /** @enum {string|null} */
                            verified_by: "dns" | "operator" | null;
                        }[];
                        encryption_keys?: {
                            certificate: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            ends_at: string | null;
                            /** Format: uuid */
                            key_id: string;
                        }[];
                        has_client_secret: boolean;
                        has_metadata_xml: boolean;
                        issuer: string | null;
                        metadata_url: string | null;
                        name: string;
                        redirect_uri?: string;
                        /** @enum {string} */
                        required_signature?: "either" | "assertion" | "response" | "both";
                        role_attribute: string | null;
                        role_mapping: {
                            role: string;
                            value: string;
                        }[];
                        /** Format: uuid */
                        site_id: string;
                        slo_url?: string;
                        sp_entity_id?: string;
                        start_url: string;
                        /** @enum {string} */
                        status: "active" | "disabled";
                        /** @enum {string} */
                        type: "oidc" | "saml";
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    getSitesBySiteIdConnectionsByConnectionId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        acs_url?: string;
                        attribute_mapping: {
                            display_name?: string;
                            email?: string;
                            email_verified?: string;
                            family_name?: string;
                            given_name?: string;
                            locale?: string;
                        };
                        backchannel_logout_uri?: string;
                        client_id: string | null;
                        /** Format: uuid */
                        connection_id: string;
                        /** Format: date-time */
                        created_at: string;
                        domains: {
                            domain: string;
                            txt_name: string;
                            txt_value: string;
                            /** Format: date-time */
                            verified_at: string | null;
                            /** @enum {string|null} */
                            verified_by: "dns" | "operator" | null;
                        }[];
                        encryption_keys?: {
                            certificate: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            ends_at: string | null;
                            /** Format: uuid */
                            key_id: string;
                        }[];
                        has_client_secret: boolean;
                        has_metadata_xml: boolean;
                        issuer: string | null;
                        metadata_url: string | null;
                        name: string;
                        redirect_uri?: string;
                        /** @enum {string} */
                        required_signature?: "either" | "assertion" | "response" | "both";
                        role_attribute: string | null;
                        role_mapping: {
                            role: string;
                            value: string;
                        }[];
                        /** Format: uuid */
                        site_id: string;
                        slo_url?: string;
                        sp_entity_id?: string;
                        start_url: string;
                        /** @enum {string} */
                        status: "active" | "disabled";
                        /** @enum {string} */
                        type: "oidc" | "saml";
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    deleteSitesBySiteIdConnectionsByConnectionId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchSitesBySiteIdConnectionsByConnectionId: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
            };
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    attribute_mapping?: {
                        display_name?: string;
                        email?: string;
                        email_verified?: string;
                        family_name?: string;
                        given_name?: string;
                        locale?: string;
                    };
                    client_id?: string;
                    client_secret?: string | null;
                    issuer?: string;
                    metadata_url?: string;
                    metadata_xml?: string;
                    name?: string;
                    /** @enum {string} */
                    required_signature?: "either" | "assertion" | "response" | "both";
                    role_attribute?: string | null;
                    role_mapping?: {
                        role: string;
                        value: string;
                    }[];
                    /** @enum {string} */
                    status?: "active" | "disabled";
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        acs_url?: string;
                        attribute_mapping: {
                            display_name?: string;
                            email?: string;
                            email_verified?: string;
                            family_name?: string;
                            given_name?: string;
                            locale?: string;
                        };
                        backchannel_logout_uri?: string;
                        client_id: string | null;
                        /** Format: uuid */
                        connection_id: string;
                        /** Format: date-time */
                        created_at: string;
                        domains: {
                            domain: string;
                            txt_name: string;
                            txt_value: string;
                            /** Format: date-time */
                            verified_at: string | null;
                            /** @enum {string|null} */
                            verified_by: "dns" | "operator" | null;
                        }[];
                        encryption_keys?: {
                            certificate: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            ends_at: string | null;
                            /** Format: uuid */
                            key_id: string;
                        }[];
                        has_client_secret: boolean;
                        has_metadata_xml: boolean;
                        issuer: string | null;
                        metadata_url: string | null;
                        name: string;
                        redirect_uri?: string;
                        /** @enum {string} */
                        required_signature?: "either" | "assertion" | "response" | "both";
                        role_attribute: string | null;
                        role_mapping: {
                            role: string;
                            value: string;
                        }[];
                        /** Format: uuid */
                        site_id: string;
                        slo_url?: string;
                        sp_entity_id?: string;
                        start_url: string;
                        /** @enum {string} */
                        status: "active" | "disabled";
                        /** @enum {string} */
                        type: "oidc" | "saml";
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    getSitesBySiteIdConnectionsByConnectionIdClaims: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attributes: {
                            name: string;
                            values: string[];
                        }[];
                        /** Format: date-time */
                        told_at: string | null;
                    };
                };
            };
        };
    };
    postSitesBySiteIdConnectionsByConnectionIdDomains: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    domain: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domain: string;
                        txt_name: string;
                        txt_value: string;
                        /** Format: date-time */
                        verified_at: string | null;
                        /** @enum {string|null} */
                        verified_by: "dns" | "operator" | null;
                    };
                };
            };
        };
    };
    deleteSitesBySiteIdConnectionsByConnectionIdDomainsByDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                domain: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postSitesBySiteIdConnectionsByConnectionIdDomainsByDomainVerify: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                domain: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default false */
                    is_override?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domain: string;
                        txt_name: string;
                        txt_value: string;
                        /** Format: date-time */
                        verified_at: string | null;
                        /** @enum {string|null} */
                        verified_by: "dns" | "operator" | null;
                    };
                };
            };
        };
    };
    postSitesBySiteIdConnectionsByConnectionIdEncryptionKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 30 */
                    overlap_days?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        certificate: string;
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        ends_at: string | null;
                        /** Format: uuid */
                        key_id: string;
                    };
                };
            };
        };
    };
    getSitesBySiteIdConnectionsByConnectionIdScimTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string | null;
                            hint: string;
                            /** Format: date-time */
                            last_used_at: string | null;
                            name: string;
                            /** Format: uuid */
                            token_id: string;
                        }[];
                        scim_url: string;
                    };
                };
            };
        };
    };
    postSitesBySiteIdConnectionsByConnectionIdScimTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expires_in_days?: number;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        expires_at: string | null;
                        hint: string;
                        /** Format: date-time */
                        last_used_at: string | null;
                        name: string;
                        scim_url: string;
                        token: string;
                        /** Format: uuid */
                        token_id: string;
                    };
                };
            };
        };
    };
    deleteSitesBySiteIdConnectionsByConnectionIdScimTokensByTokenId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSitesBySiteIdConnectionsByConnectionIdSignIns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            action: string;
                            /** Format: uuid */
                            actor_user_id: string | null;
                            /** Format: uuid */
                            audit_id: string;
                            details: {
                                [key: string]: unknown;
                            };
                            ip_address: string | null;
                            /** Format: date-time */
                            occurred_at: string;
                            site_code: string | null;
                            /** Format: uuid */
                            subject_user_id: string | null;
                            user_agent: string | null;
                        }[];
                    };
                };
            };
        };
    };
    postSitesBySiteIdConnectionsByConnectionIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        certificates_end_at: string | null;
                        is_ok: boolean;
                        issuer: string | null;
                        problem: string | null;
                        sign_in_url: string | null;
                    };
                };
            };
        };
    };
    getSitesBySiteIdDomainProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domain: string;
                        file_content: string;
                        file_url: string;
                        txt_name: string;
                        txt_value: string;
                        verified: boolean;
                    };
                };
            };
        };
    };
    postSitesBySiteIdDomainProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @default dns
                     * @enum {string}
                     */
                    method?: "dns" | "file";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domain: string;
                        file_content: string;
                        file_url: string;
                        txt_name: string;
                        txt_value: string;
                        verified: boolean;
                    };
                };
            };
        };
    };
    postSitesBySiteIdJwtSecretRotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default false */
                    revoke_old?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        jwt_secret: string;
                        /** Format: date-time */
                        old_valid_until: string | null;
                    };
                };
            };
        };
    };
    getSitesBySiteIdKeys: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            created_at: string;
                            hint: string;
                            /** Format: date-time */
                            last_used_at: string | null;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postSitesBySiteIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        hint: string;
                        /** Format: date-time */
                        last_used_at: string | null;
                        site_key: string;
                    };
                };
            };
        };
    };
    deleteSitesBySiteIdKeysByHint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hint: string;
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSitesBySiteIdOpenidClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backchannel_logout_uri: string | null;
                        client_id: string;
                        /** Format: date-time */
                        created_at: string;
                        issuer: string;
                        post_logout_redirect_uris: string[];
                        redirect_uris: string[];
                        requires_pkce: boolean;
                        scopes: string[];
                        /** Format: uuid */
                        site_id: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    putSitesBySiteIdOpenidClient: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
            };
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    backchannel_logout_uri?: string | null;
                    /** @default [] */
                    post_logout_redirect_uris?: string[];
                    redirect_uris: string[];
                    /** @default true */
                    requires_pkce?: boolean;
                    /** @default [] */
                    scopes?: ("users:read" | "users:write" | "roles:assign" | "sessions:revoke" | "webhooks:manage" | "bulk:import" | "payments:read" | "site:manage" | "audit:read")[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backchannel_logout_uri: string | null;
                        client_id: string;
                        /** Format: date-time */
                        created_at: string;
                        issuer: string;
                        post_logout_redirect_uris: string[];
                        redirect_uris: string[];
                        requires_pkce: boolean;
                        scopes: string[];
                        /** Format: uuid */
                        site_id: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backchannel_logout_uri: string | null;
                        client_id: string;
                        client_secret: string;
                        /** Format: date-time */
                        created_at: string;
                        issuer: string;
                        post_logout_redirect_uris: string[];
                        redirect_uris: string[];
                        requires_pkce: boolean;
                        scopes: string[];
                        /** Format: uuid */
                        site_id: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    deleteSitesBySiteIdOpenidClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postSitesBySiteIdOpenidClientSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backchannel_logout_uri: string | null;
                        client_id: string;
                        client_secret: string;
                        /** Format: date-time */
                        created_at: string;
                        issuer: string;
                        post_logout_redirect_uris: string[];
                        redirect_uris: string[];
                        requires_pkce: boolean;
                        scopes: string[];
                        /** Format: uuid */
                        site_id: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    postSitesBySiteIdWebhookSecretRotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 3600 */
                    switch_in_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        old_valid_until: string;
                        /** Format: date-time */
                        switch_at: string;
                        webhook_secret: string;
                    };
                };
            };
        };
    };
    getSitesManaged: {
        parameters: {
            query?: {
                cursor?: string;
                environment?: "sandbox" | "production";
                page?: number;
                per_page?: number;
                q?: string;
                site_id?: string;
                status?: "active" | "pending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date-time */
                            created_at: string;
                            created_by_email: string | null;
                            domain: string;
                            domain_verified: boolean;
                            /** @enum {string} */
                            environment: "sandbox" | "production";
                            has_openid_client: boolean;
                            is_first_party: boolean;
                            /** Format: date-time */
                            key_used_at: string | null;
                            members: number;
                            name: string;
                            /** @enum {string} */
                            plan: "starter" | "business" | "enterprise";
                            site_code: string;
                            /** Format: uuid */
                            site_id: string;
                            /** @enum {string} */
                            status: "active" | "pending";
                            /** Format: uuid */
                            tenant_id: string;
                            tenant_name: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getTenantsByTenantIdImportQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        people_per_day: number | null;
                        /** Format: date-time */
                        resets_at: string;
                        /** Format: uuid */
                        tenant_id: string;
                        used_today: number;
                    };
                };
            };
        };
    };
    putTenantsByTenantIdImportQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    people_per_day: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        people_per_day: number | null;
                        /** Format: date-time */
                        resets_at: string;
                        /** Format: uuid */
                        tenant_id: string;
                        used_today: number;
                    };
                };
            };
        };
    };
    getUsers: {
        parameters: {
            query?: {
                created_after?: string;
                cursor?: string;
                email?: string;
                last_login_after?: string;
                last_login_before?: string;
                mfa_enabled?: boolean;
                page?: number;
                per_page?: number;
                q?: string;
                role?: string;
                site_code?: string;
                sort?: "created_at" | "email" | "display_name" | "last_login_at" | "-created_at" | "-email" | "-display_name" | "-last_login_at";
                status?: "active" | "suspended";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            avatar_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            display_name: string | null;
                            email: string;
                            email_verified: boolean;
                            external_id: string | null;
                            family_name: string | null;
                            given_name: string | null;
                            /** Format: date-time */
                            last_login_at: string | null;
                            locale: string | null;
                            /** @enum {string} */
                            member_status?: "active" | "suspended";
                            metadata: {
                                [key: string]: unknown;
                            };
                            mfa_enabled: boolean;
                            mfa_methods: string[];
                            pending_email?: string | null;
                            phone: string | null;
                            phone_verified: boolean;
                            /** @enum {string} */
                            registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                            roles: {
                                role: string;
                                site_code: string;
                            }[];
                            session_version: number;
                            /** @enum {string} */
                            status: "active" | "suspended";
                            time_zone: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            user_id: string;
                            username: string | null;
                            version: number;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    avatar_url?: string;
                    display_name?: string;
                    email: string;
                    external_id?: string;
                    family_name?: string;
                    given_name?: string;
                    locale?: string;
                    metadata?: Record<string, never>;
                    password?: string;
                    phone?: string;
                    role?: string;
                    site_code?: string;
                    time_zone?: string;
                    username?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        avatar_url: string | null;
                        /** Format: date-time */
                        created_at: string;
                        display_name: string | null;
                        email: string;
                        email_verified: boolean;
                        external_id: string | null;
                        family_name: string | null;
                        given_name: string | null;
                        /** Format: date-time */
                        last_login_at: string | null;
                        locale: string | null;
                        /** @enum {string} */
                        member_status?: "active" | "suspended";
                        metadata: {
                            [key: string]: unknown;
                        };
                        mfa_enabled: boolean;
                        mfa_methods: string[];
                        pending_email?: string | null;
                        phone: string | null;
                        phone_verified: boolean;
                        /** @enum {string} */
                        registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                        roles: {
                            role: string;
                            site_code: string;
                        }[];
                        session_version: number;
                        /** @enum {string} */
                        status: "active" | "suspended";
                        time_zone: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        /** Format: uuid */
                        user_id: string;
                        username: string | null;
                        version: number;
                    };
                };
            };
        };
    };
    getUsersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        avatar_url: string | null;
                        /** Format: date-time */
                        created_at: string;
                        display_name: string | null;
                        email: string;
                        email_verified: boolean;
                        external_id: string | null;
                        family_name: string | null;
                        given_name: string | null;
                        /** Format: date-time */
                        last_login_at: string | null;
                        locale: string | null;
                        /** @enum {string} */
                        member_status?: "active" | "suspended";
                        metadata: {
                            [key: string]: unknown;
                        };
                        mfa_enabled: boolean;
                        mfa_methods: string[];
                        pending_email?: string | null;
                        phone: string | null;
                        phone_verified: boolean;
                        /** @enum {string} */
                        registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                        roles: {
                            role: string;
                            site_code: string;
                        }[];
                        session_version: number;
                        /** @enum {string} */
                        status: "active" | "suspended";
                        time_zone: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        /** Format: uuid */
                        user_id: string;
                        username: string | null;
                        version: number;
                    };
                };
            };
        };
    };
    deleteUsersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    compliance_flags?: {
                        /** @default false */
                        ccpa_drop_request?: boolean;
                        /** @default true */
                        gdpr_erasure_request?: boolean;
                    };
                    confirmation?: string;
                    reason_code?: string;
                };
            };
        };
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchUsersByUserId: {
        parameters: {
            query?: {
                site_code?: string;
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    avatar_url?: string | null;
                    current_password?: string;
                    display_name?: string | null;
                    email?: string;
                    external_id?: string | null;
                    family_name?: string | null;
                    given_name?: string | null;
                    locale?: string | null;
                    /** @enum {string} */
                    member_status?: "active" | "suspended";
                    metadata?: Record<string, never> | null;
                    phone?: string | null;
                    /** @enum {string} */
                    status?: "active" | "suspended";
                    time_zone?: string | null;
                    username?: string | null;
                    version?: number;
                };
                "application/merge-patch+json": {
                    avatar_url?: string | null;
                    current_password?: string;
                    display_name?: string | null;
                    email?: string;
                    external_id?: string | null;
                    family_name?: string | null;
                    given_name?: string | null;
                    locale?: string | null;
                    /** @enum {string} */
                    member_status?: "active" | "suspended";
                    metadata?: Record<string, never> | null;
                    phone?: string | null;
                    /** @enum {string} */
                    status?: "active" | "suspended";
                    time_zone?: string | null;
                    username?: string | null;
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        avatar_url: string | null;
                        /** Format: date-time */
                        created_at: string;
                        display_name: string | null;
                        email: string;
                        email_verified: boolean;
                        external_id: string | null;
                        family_name: string | null;
                        given_name: string | null;
                        /** Format: date-time */
                        last_login_at: string | null;
                        locale: string | null;
                        /** @enum {string} */
                        member_status?: "active" | "suspended";
                        metadata: {
                            [key: string]: unknown;
                        };
                        mfa_enabled: boolean;
                        mfa_methods: string[];
                        pending_email?: string | null;
                        phone: string | null;
                        phone_verified: boolean;
                        /** @enum {string} */
                        registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                        roles: {
                            role: string;
                            site_code: string;
                        }[];
                        session_version: number;
                        /** @enum {string} */
                        status: "active" | "suspended";
                        time_zone: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        /** Format: uuid */
                        user_id: string;
                        username: string | null;
                        version: number;
                    };
                };
            };
        };
    };
    getUsersByUserIdExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        audit: {
                            action: string;
                            by_self: boolean;
                            details: {
                                [key: string]: unknown;
                            };
                            ip_address: string | null;
                            /** Format: date-time */
                            occurred_at: string;
                            site_code: string | null;
                            user_agent: string | null;
                        }[];
                        consents: {
                            given_by: string;
                            /** Format: date-time */
                            granted_at: string;
                            /** Format: date-time */
                            revoked_at: string | null;
                            scopes: string[];
                            site_code: string;
                        }[];
                        factors: {
                            /** Format: date-time */
                            activated_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            email: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            name: string | null;
                            phone: string | null;
                            type: string;
                        }[];
                        is_truncated: boolean;
                        memberships: {
                            external_id: string | null;
                            /** Format: date-time */
                            joined_at: string;
                            role: string;
                            site_code: string;
                            /** @enum {string} */
                            status: "active" | "suspended";
                        }[];
                        messages: {
                            channel: string;
                            /** Format: date-time */
                            created_at: string;
                            kind: string;
                            recipient: string;
                            status: string;
                        }[];
                        sessions: {
                            auth_methods: string[];
                            /** Format: date-time */
                            created_at: string;
                            device_name: string | null;
                            /** Format: date-time */
                            expires_at: string;
                            ip_address: string | null;
                            /** Format: date-time */
                            last_seen_at: string;
                            revoke_reason: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: uuid */
                            session_id: string;
                            site_code: string;
                            user_agent: string | null;
                        }[];
                        user: {
                            avatar_url: string | null;
                            /** Format: date-time */
                            created_at: string;
                            display_name: string | null;
                            email: string;
                            email_verified: boolean;
                            external_id: string | null;
                            family_name: string | null;
                            given_name: string | null;
                            /** Format: date-time */
                            last_login_at: string | null;
                            locale: string | null;
                            /** @enum {string} */
                            member_status?: "active" | "suspended";
                            metadata: {
                                [key: string]: unknown;
                            };
                            mfa_enabled: boolean;
                            mfa_methods: string[];
                            pending_email?: string | null;
                            phone: string | null;
                            phone_verified: boolean;
                            /** @enum {string} */
                            registration_source: "register" | "admin" | "bulk_import" | "sso_jit";
                            roles: {
                                role: string;
                                site_code: string;
                            }[];
                            session_version: number;
                            /** @enum {string} */
                            status: "active" | "suspended";
                            time_zone: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            user_id: string;
                            username: string | null;
                            version: number;
                        };
                    };
                };
            };
        };
    };
    deleteUsersByUserIdMfa: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postUsersByUserIdRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    role: string;
                    site_code?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        assigned_at: string;
                        /** Format: uuid */
                        assigned_by: string;
                        role: string;
                        site_code: string;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    deleteUsersByUserIdRolesByRole: {
        parameters: {
            query?: {
                site_code?: string;
            };
            header?: never;
            path: {
                role: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteUsersByUserIdSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postUsersActs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    act: "suspend" | "end_sessions";
                    site_code?: string;
                    user_ids: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            code: string | null;
                            detail: string | null;
                            /** Format: uuid */
                            user_id: string;
                        }[];
                    };
                };
            };
        };
    };
    getUsersErasures: {
        parameters: {
            query?: {
                cursor?: string;
                page?: number;
                per_page?: number;
                since?: string;
                site_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            compliance_flags: {
                                ccpa_drop_request: boolean;
                                gdpr_erasure_request: boolean;
                            };
                            /** Format: date-time */
                            erased_at: string;
                            reason_code: string;
                            /** Format: uuid */
                            sso_subject_id: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postUsersResolve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    tenant_id: string;
                    user_ids: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        display_name: string | null;
                        email: string | null;
                        email_verified: boolean;
                        /** Format: date-time */
                        last_login_at: string | null;
                        mfa_enabled: boolean;
                        role: string | null;
                        status: string;
                        /** Format: uuid */
                        user_id: string;
                    }[];
                };
            };
        };
    };
    getWebhooks: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                site_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            all_sites: boolean;
                            auto_disable: boolean;
                            /** Format: date-time */
                            confirmed_at: string | null;
                            consecutive_failures: number;
                            /** Format: date-time */
                            created_at: string;
                            description: string | null;
                            events: ("*" | "user.*" | "session.*" | "role.*" | "payment.*" | "collection.*" | "item.*" | "user.created" | "user.updated" | "user.account.deleted" | "session.created" | "session.revoked" | "back_channel_logout" | "role.assigned" | "payment.completed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.member_added" | "collection.member_changed" | "collection.member_removed" | "collection.bulk_changed" | "collection.imported" | "item.created" | "item.updated" | "item.added" | "item.removed" | "item.deleted" | "item.bulk_changed")[];
                            /** Format: date-time */
                            failing_since: string | null;
                            last_error: string | null;
                            site_code: string;
                            /** @enum {string} */
                            status: "pending" | "active" | "disabled";
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            webhook_id: string;
                            webhook_url: string;
                        }[];
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    postWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default false */
                    all_sites?: boolean;
                    /** @default false */
                    auto_disable?: boolean;
                    description?: string | null;
                    events?: ("*" | "user.*" | "session.*" | "role.*" | "payment.*" | "collection.*" | "item.*" | "user.created" | "user.updated" | "user.account.deleted" | "session.created" | "session.revoked" | "back_channel_logout" | "role.assigned" | "payment.completed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.member_added" | "collection.member_changed" | "collection.member_removed" | "collection.bulk_changed" | "collection.imported" | "item.created" | "item.updated" | "item.added" | "item.removed" | "item.deleted" | "item.bulk_changed")[];
                    site_code?: string;
                    webhook_url: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        all_sites: boolean;
                        auto_disable: boolean;
                        /** Format: date-time */
                        confirmed_at: string | null;
                        consecutive_failures: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string | null;
                        events: ("*" | "user.*" | "session.*" | "role.*" | "payment.*" | "collection.*" | "item.*" | "user.created" | "user.updated" | "user.account.deleted" | "session.created" | "session.revoked" | "back_channel_logout" | "role.assigned" | "payment.completed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.member_added" | "collection.member_changed" | "collection.member_removed" | "collection.bulk_changed" | "collection.imported" | "item.created" | "item.updated" | "item.added" | "item.removed" | "item.deleted" | "item.bulk_changed")[];
                        /** Format: date-time */
                        failing_since: string | null;
                        last_error: string | null;
                        site_code: string;
                        /** @enum {string} */
                        status: "pending" | "active" | "disabled";
                        /** Format: date-time */
                        updated_at: string;
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_secret: string;
                        webhook_url: string;
                    };
                };
            };
        };
    };
    getWebhooksByWebhookId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        all_sites: boolean;
                        auto_disable: boolean;
                        /** Format: date-time */
                        confirmed_at: string | null;
                        consecutive_failures: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string | null;
                        events: ("*" | "user.*" | "session.*" | "role.*" | "payment.*" | "collection.*" | "item.*" | "user.created" | "user.updated" | "user.account.deleted" | "session.created" | "session.revoked" | "back_channel_logout" | "role.assigned" | "payment.completed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.member_added" | "collection.member_changed" | "collection.member_removed" | "collection.bulk_changed" | "collection.imported" | "item.created" | "item.updated" | "item.added" | "item.removed" | "item.deleted" | "item.bulk_changed")[];
                        /** Format: date-time */
                        failing_since: string | null;
                        last_error: string | null;
                        site_code: string;
                        /** @enum {string} */
                        status: "pending" | "active" | "disabled";
                        /** Format: date-time */
                        updated_at: string;
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_url: string;
                    };
                };
            };
        };
    };
    deleteWebhooksByWebhookId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchWebhooksByWebhookId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    all_sites?: boolean;
                    auto_disable?: boolean;
                    description?: string | null;
                    events?: ("*" | "user.*" | "session.*" | "role.*" | "payment.*" | "collection.*" | "item.*" | "user.created" | "user.updated" | "user.account.deleted" | "session.created" | "session.revoked" | "back_channel_logout" | "role.assigned" | "payment.completed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.member_added" | "collection.member_changed" | "collection.member_removed" | "collection.bulk_changed" | "collection.imported" | "item.created" | "item.updated" | "item.added" | "item.removed" | "item.deleted" | "item.bulk_changed")[];
                    /** @enum {string} */
                    status?: "active" | "disabled";
                    webhook_url?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        all_sites: boolean;
                        auto_disable: boolean;
                        /** Format: date-time */
                        confirmed_at: string | null;
                        consecutive_failures: number;
                        /** Format: date-time */
                        created_at: string;
                        description: string | null;
                        events: ("*" | "user.*" | "session.*" | "role.*" | "payment.*" | "collection.*" | "item.*" | "user.created" | "user.updated" | "user.account.deleted" | "session.created" | "session.revoked" | "back_channel_logout" | "role.assigned" | "payment.completed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.member_added" | "collection.member_changed" | "collection.member_removed" | "collection.bulk_changed" | "collection.imported" | "item.created" | "item.updated" | "item.added" | "item.removed" | "item.deleted" | "item.bulk_changed")[];
                        /** Format: date-time */
                        failing_since: string | null;
                        last_error: string | null;
                        site_code: string;
                        /** @enum {string} */
                        status: "pending" | "active" | "disabled";
                        /** Format: date-time */
                        updated_at: string;
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_url: string;
                    };
                };
            };
        };
    };
    postWebhooksByWebhookIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt_count: number;
                        attempts: {
                            attempt: number;
                            /** Format: date-time */
                            attempted_at: string;
                            duration_ms: number | null;
                            error: string | null;
                            response_status: number | null;
                            retry_after: string | null;
                        }[];
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        delivered_at: string | null;
                        /** Format: uuid */
                        event_id: string;
                        event_type: string;
                        max_attempts: number;
                        /** Format: date-time */
                        next_attempt_at: string | null;
                        replay_of_run: number | null;
                        run: number;
                        site_code: string;
                        /** @enum {string} */
                        status: "pending" | "retrying" | "delivered" | "failed" | "held";
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_url: string;
                    };
                };
            };
        };
    };
    getWebhooksEvents: {
        parameters: {
            query?: {
                created_after?: string;
                cursor?: string;
                event_id?: string;
                event_type?: "user.created" | "user.updated" | "user.account.deleted" | "session.created" | "session.revoked" | "back_channel_logout" | "role.assigned" | "payment.completed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.member_added" | "collection.member_changed" | "collection.member_removed" | "collection.bulk_changed" | "collection.imported" | "item.created" | "item.updated" | "item.added" | "item.removed" | "item.deleted" | "item.bulk_changed" | "ping";
                page?: number;
                per_page?: number;
                site_code?: string;
                status?: "pending" | "retrying" | "delivered" | "failed" | "held";
                webhook_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            attempt_count: number;
                            attempts: {
                                attempt: number;
                                /** Format: date-time */
                                attempted_at: string;
                                duration_ms: number | null;
                                error: string | null;
                                response_status: number | null;
                                retry_after: string | null;
                            }[];
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            delivered_at: string | null;
                            /** Format: uuid */
                            event_id: string;
                            event_type: string;
                            max_attempts: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            replay_of_run: number | null;
                            run: number;
                            site_code: string;
                            /** @enum {string} */
                            status: "pending" | "retrying" | "delivered" | "failed" | "held";
                            /** Format: uuid */
                            webhook_id: string;
                            webhook_url: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                };
            };
        };
    };
    getWebhooksEventsByEventId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        event_id: string;
                        event_type: string;
                        payload: string | null;
                    };
                };
            };
        };
    };
    postWebhooksEventsByEventIdReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    webhook_id?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt_count?: number;
                        attempts?: {
                            attempt: number;
                            /** Format: date-time */
                            attempted_at: string;
                            duration_ms: number | null;
                            error: string | null;
                            response_status: number | null;
                            retry_after: string | null;
                        }[];
                        /** Format: date-time */
                        created_at?: string;
                        /** Format: date-time */
                        delivered_at?: string | null;
                        /** Format: uuid */
                        event_id?: string;
                        event_type?: string;
                        items?: {
                            attempt_count: number;
                            attempts: {
                                attempt: number;
                                /** Format: date-time */
                                attempted_at: string;
                                duration_ms: number | null;
                                error: string | null;
                                response_status: number | null;
                                retry_after: string | null;
                            }[];
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            delivered_at: string | null;
                            /** Format: uuid */
                            event_id: string;
                            event_type: string;
                            max_attempts: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            replay_of_run: number | null;
                            run: number;
                            site_code: string;
                            /** @enum {string} */
                            status: "pending" | "retrying" | "delivered" | "failed" | "held";
                            /** Format: uuid */
                            webhook_id: string;
                            webhook_url: string;
                        }[];
                        max_attempts?: number;
                        /** Format: date-time */
                        next_attempt_at?: string | null;
                        replay_of_run?: number | null;
                        run?: number;
                        site_code?: string;
                        /** @enum {string} */
                        status?: "pending" | "retrying" | "delivered" | "failed" | "held";
                        /** Format: uuid */
                        webhook_id?: string;
                        webhook_url?: string;
                    };
                };
            };
        };
    };
    getWebhooksFigures: {
        parameters: {
            query?: {
                site_code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            delivered: number;
                            deliveries: number;
                            failed: number;
                            p95_ms: number | null;
                            success_rate: number | null;
                            /** Format: uuid */
                            webhook_id: string;
                        }[];
                    };
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok" | "down";
                        version: string;
                    };
                };
            };
        };
    };
    getLivez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    postOpenidToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    client_id?: string;
                    client_secret?: string;
                    code?: string;
                    code_verifier?: string;
                    grant_type?: string;
                    redirect_uri?: string;
                    refresh_token?: string;
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        expires_in: number;
                        id_token?: string;
                        refresh_token?: string;
                        scope: string;
                        /** @enum {string} */
                        token_type: "Bearer";
                    };
                };
            };
        };
    };
    getOpenidUserinfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    postOpenidUserinfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready" | "starting_or_stopping" | "database_down";
                    };
                };
            };
        };
    };
    getSandboxWellKnownJwksJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            /** @enum {string} */
                            alg: "RS256";
                            e: string;
                            kid: string;
                            /** @enum {string} */
                            kty: "RSA";
                            n: string;
                            /** @enum {string} */
                            use: "sig";
                        }[];
                    };
                };
            };
            /** @description Default Response */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSandboxWellKnownOpenidConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization_endpoint: string;
                        authorization_response_iss_parameter_supported: boolean;
                        backchannel_logout_session_supported: boolean;
                        backchannel_logout_supported: boolean;
                        claims_supported: string[];
                        code_challenge_methods_supported: string[];
                        end_session_endpoint: string;
                        grant_types_supported: string[];
                        id_token_signing_alg_values_supported: string[];
                        introspection_endpoint: string;
                        issuer: string;
                        jwks_uri: string;
                        prompt_values_supported: string[];
                        request_parameter_supported: boolean;
                        request_uri_parameter_supported: boolean;
                        response_modes_supported: string[];
                        response_types_supported: string[];
                        revocation_endpoint: string;
                        scopes_supported: string[];
                        subject_types_supported: string[];
                        token_endpoint: string;
                        token_endpoint_auth_methods_supported: string[];
                        ui_locales_supported: string[];
                        userinfo_endpoint: string;
                    };
                };
            };
            /** @description Default Response */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postScimV2ByConnectionIdBulk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    failOnErrors?: number;
                    Operations: {
                        bulkId?: string;
                        data?: unknown;
                        method: string;
                        path: string;
                        version?: string;
                    }[];
                    schemas: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        Operations: {
                            bulkId?: string;
                            location?: string;
                            method: string;
                            response?: {
                                detail: string;
                                schemas: string[];
                                scimType?: string;
                                status: string;
                            };
                            status: string;
                            version?: string;
                        }[];
                        schemas: string[];
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdGroups: {
        parameters: {
            query?: {
                attributes?: string;
                count?: number | string;
                excludedAttributes?: string;
                filter?: string;
                sortBy?: string;
                sortOrder?: string;
                startIndex?: number | string;
            };
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        itemsPerPage: number;
                        Resources: {
                            [key: string]: unknown;
                        }[];
                        schemas: string[];
                        startIndex: number;
                        totalResults: number;
                    };
                };
            };
        };
    };
    postScimV2ByConnectionIdGroups: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdGroupsById: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description No content */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    putScimV2ByConnectionIdGroupsById: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deleteScimV2ByConnectionIdGroupsById: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchScimV2ByConnectionIdGroupsById: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    Operations: {
                        op: string;
                        path?: string;
                        value?: unknown;
                    }[];
                    schemas: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getScimV2ByConnectionIdResourceTypes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdResourceTypesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdSchemas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdSchemasById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdServiceProviderConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdUsers: {
        parameters: {
            query?: {
                attributes?: string;
                count?: number | string;
                excludedAttributes?: string;
                filter?: string;
                sortBy?: string;
                sortOrder?: string;
                startIndex?: number | string;
            };
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        itemsPerPage: number;
                        Resources: {
                            [key: string]: unknown;
                        }[];
                        schemas: string[];
                        startIndex: number;
                        totalResults: number;
                    };
                };
            };
        };
    };
    postScimV2ByConnectionIdUsers: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getScimV2ByConnectionIdUsersById: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description No content */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    putScimV2ByConnectionIdUsersById: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deleteScimV2ByConnectionIdUsersById: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchScimV2ByConnectionIdUsersById: {
        parameters: {
            query?: {
                attributes?: string;
                excludedAttributes?: string;
            };
            header?: {
                "if-match"?: string;
                "if-none-match"?: string;
            };
            path: {
                connection_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    Operations: {
                        op: string;
                        path?: string;
                        value?: unknown;
                    }[];
                    schemas: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        components: {
                            latency_ms: number | null;
                            name: string;
                            reason?: string;
                            /** @enum {string} */
                            status: "operational" | "degraded" | "outage";
                        }[];
                        node_id?: string;
                        /** @enum {string} */
                        status: "operational" | "degraded" | "outage";
                        /** Format: date-time */
                        time: string;
                        version: string;
                    };
                };
            };
        };
    };
}
