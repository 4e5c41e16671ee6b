// Made by test/client-types.test.ts from the descriptions of the routes, for version 1 of the package.

export interface paths {
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Login: Body with e-mail and password; returns a Bearer token and the user profile */
        post: operations["postAuthLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Logout: Invalidates the current session and token */
        post: operations["postAuthLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Current user: Returns the profile of the authenticated user */
        get: operations["getAuthMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/mfa/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A code for it by mail */
        post: operations["postAuthMfaEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/mfa/sms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A code for it by SMS */
        post: operations["postAuthMfaSms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/mfa/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The second step of a sign-in */
        post: operations["postAuthMfaVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Imports of workbooks */
        get: operations["getBulkJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One, with its progress */
        get: operations["getBulkJobsByJobId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop it */
        post: operations["postBulkJobsByJobIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/jobs/{job_id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its refused rows, as JSON or a workbook */
        get: operations["getBulkJobsByJobIdErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/jobs/{job_id}/errors/mended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A workbook of rows that were mended */
        post: operations["postBulkJobsByJobIdErrorsMended"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/recognise": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How a file would be read */
        post: operations["postBulkRecognise"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download template: Returns an Excel template with headers and example rows */
        get: operations["getBulkTemplate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bulk upload: multipart/form-data with an Excel file; returns a job ID */
        post: operations["postBulkUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What changed and what is gone, for programs that mirror */
        get: operations["getChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List collections: Paginated list of collections the user can access; supports filtering, sorting, pagination */
        get: operations["getCollections"];
        put?: never;
        /** Create collection: JSON body: name (required), description, type; returns the new collection */
        post: operations["postCollections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get collection: Full details by identifier */
        get: operations["getCollectionsById"];
        /** The same as PATCH */
        put: operations["putCollectionsById"];
        post?: never;
        /** Delete collection: Permanent, removes associated data; needs admin role on the collection */
        delete: operations["deleteCollectionsById"];
        options?: never;
        head?: never;
        /** Update collection: Partial update: only the fields sent change */
        patch: operations["patchCollectionsById"];
        trace?: never;
    };
    "/api/collections/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tree as .xlsx, .csv or JSON Lines */
        get: operations["getCollectionsByIdExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/invitees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whom an invitation would reach */
        get: operations["getCollectionsByIdInvitees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List items: Paginated; supports search, filtering, sorting */
        get: operations["getCollectionsByIdItems"];
        put?: never;
        /** Add item: JSON body: name and optional metadata fields */
        post: operations["postCollectionsByIdItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/items/{item_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove item: Removes the item from this collection; the item itself stays if it belongs to other collections */
        delete: operations["deleteCollectionsByIdItemsByItemId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/items/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put up to 1,000 items into this collection too */
        post: operations["postCollectionsByIdItemsBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/items/batch-write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Up to 1,000 changes, each with a result of its own */
        post: operations["postCollectionsByIdItemsBatchWrite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give up one's own membership */
        post: operations["postCollectionsByIdLeave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List members: Members with roles and join dates */
        get: operations["getCollectionsByIdMembers"];
        put?: never;
        /** Invite member: JSON body: user_id, role (viewer, editor or admin) */
        post: operations["postCollectionsByIdMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** The same as PATCH */
        put: operations["putCollectionsByIdMembersByUserId"];
        post?: never;
        /** Remove member: Needs admin permission */
        delete: operations["deleteCollectionsByIdMembersByUserId"];
        options?: never;
        head?: never;
        /** Update member role: JSON body with the new role; needs admin permission */
        patch: operations["patchCollectionsByIdMembersByUserId"];
        trace?: never;
    };
    "/api/collections/{id}/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The shared views of its list of items */
        get: operations["getCollectionsByIdViews"];
        /** Make one, or replace the one of this name */
        put: operations["putCollectionsByIdViews"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{id}/views/{view_id}": {
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
        delete: operations["deleteCollectionsByIdViewsByViewId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Name, version and limits */
        get: operations["getInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Words or a key in everything that one sees */
        get: operations["getItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/items/{item_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One item with its collections */
        get: operations["getItemsByItemId"];
        /** The same as PATCH */
        put: operations["putItemsByItemId"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change it, with If-Match */
        patch: operations["patchItemsByItemId"];
        trace?: never;
    };
    "/api/items/{item_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who changed what in 90 days */
        get: operations["getItemsByItemIdHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/items/{item_id}/history/{change_id}/put-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo an update */
        post: operations["postItemsByItemIdHistoryByChangeIdPutBack"];
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
                    email: string;
                    password: string;
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
                        /** @enum {string} */
                        token_type: "Bearer";
                        user: {
                            account_metadata: {
                                /** Format: date-time */
                                created_at: string;
                                email_verified: boolean;
                                /** Format: date-time */
                                last_login_at: string | null;
                                mfa_enabled: boolean;
                            };
                            display_name: string | null;
                            email: string | null;
                            /** @enum {string} */
                            role: "admin" | "user";
                            /** Format: uuid */
                            user_id: string;
                        };
                    } | {
                        mfa_methods: string[];
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
    getAuthMe: {
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
                        account_metadata: {
                            /** Format: date-time */
                            created_at: string;
                            email_verified: boolean;
                            /** Format: date-time */
                            last_login_at: string | null;
                            mfa_enabled: boolean;
                        };
                        display_name: string | null;
                        email: string | null;
                        /** @enum {string} */
                        role: "admin" | "user";
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    postAuthMfaEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
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
                        resend_after: number;
                        sent_to: string;
                    };
                };
            };
        };
    };
    postAuthMfaSms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
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
                        resend_after: number;
                        sent_to: string;
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
                    code: string;
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
                        expires_in: number;
                        /** @enum {string} */
                        token_type: "Bearer";
                        user: {
                            account_metadata: {
                                /** Format: date-time */
                                created_at: string;
                                email_verified: boolean;
                                /** Format: date-time */
                                last_login_at: string | null;
                                mfa_enabled: boolean;
                            };
                            display_name: string | null;
                            email: string | null;
                            /** @enum {string} */
                            role: "admin" | "user";
                            /** Format: uuid */
                            user_id: string;
                        };
                    };
                };
            };
        };
    };
    getBulkJobs: {
        parameters: {
            query?: {
                cursor?: string;
                dry_run?: string;
                fields?: string;
                page?: number;
                per_page?: number;
                scope?: "own" | "all";
                sort?: string;
                state?: string;
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
                            counts?: {
                                collections: {
                                    created: number;
                                    failed: number;
                                    unchanged: number;
                                    updated: number;
                                };
                                deleted: {
                                    collections: number;
                                    items: number;
                                };
                                items: {
                                    created: number;
                                    failed: number;
                                    unchanged: number;
                                    updated: number;
                                };
                                links: {
                                    added: number;
                                    existing: number;
                                    removed: number;
                                };
                            };
                            /** Format: date-time */
                            created_at?: string;
                            dry_run?: boolean;
                            error?: {
                                code: string;
                                detail: string;
                            } | null;
                            error_count?: number;
                            errors?: {
                                /** @enum {string} */
                                code: "required" | "too_long" | "invalid_type" | "invalid_value" | "invalid_metadata" | "ambiguous_metadata" | "cell_error" | "invalid_date" | "precision_lost" | "unreadable_text" | "malformed_quotes" | "not_found" | "ambiguous_key" | "ambiguous_path" | "duplicate_key" | "duplicate_key_in_file" | "path_not_found" | "cycle" | "too_deep" | "too_many_children" | "too_large" | "last_admin" | "parent_failed" | "collection_failed" | "forbidden" | "delete_not_allowed" | "has_children" | "not_applied" | "no_key" | "example_skipped" | "unknown_header" | "no_header" | "formula_without_value" | "hidden_sheet" | "hidden_rows" | "merged_cells";
                                /** @description Its letters */
                                column: string | null;
                                header: string | null;
                                /** @enum {string} */
                                level: "error" | "warning";
                                message: string;
                                /** @description The number a spreadsheet program shows */
                                row: number | null;
                                sheet: string;
                                /** @description The first 100 characters of the cell */
                                value: string | null;
                            }[];
                            errors_truncated?: boolean;
                            /** Format: date-time */
                            expires_at?: string | null;
                            file?: {
                                name: string;
                                sha256: string;
                                size: number;
                            };
                            /** Format: date-time */
                            finished_at?: string | null;
                            /** Format: uuid */
                            job_id?: string;
                            /** @enum {string} */
                            mode?: "partial" | "atomic";
                            options?: {
                                allow_delete?: boolean;
                                /** @description The field that a header means; null leaves its column out */
                                columns?: {
                                    [key: string]: string | null;
                                };
                                create_missing: boolean;
                                dry_run: boolean;
                                /** @enum {string} */
                                links: "add" | "replace";
                                /** @enum {string} */
                                match: "key" | "key_or_path";
                                /** @enum {string} */
                                mode: "partial" | "atomic";
                                /** @enum {string} */
                                on_blank: "keep" | "clear";
                                /** Format: uuid */
                                parent_id: string | null;
                                /**
                                 * @description Of the cells of a .csv; told by its header if absent
                                 * @enum {string}
                                 */
                                separator?: "comma" | "semicolon" | "tab";
                                strict: boolean;
                            };
                            progress?: {
                                percent: number | null;
                                /** @enum {string} */
                                phase: "reading" | "validating" | "collections" | "items" | "done";
                                rows_read: number;
                                rows_total: number | null;
                            };
                            /** Format: date-time */
                            started_at?: string | null;
                            /** @enum {string} */
                            state?: "queued" | "validating" | "processing" | "completed" | "completed_with_errors" | "failed" | "cancelled";
                            warning_count?: number;
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
                        collections: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        }[];
                        counts: {
                            collections: {
                                created: number;
                                failed: number;
                                unchanged: number;
                                updated: number;
                            };
                            deleted: {
                                collections: number;
                                items: number;
                            };
                            items: {
                                created: number;
                                failed: number;
                                unchanged: number;
                                updated: number;
                            };
                            links: {
                                added: number;
                                existing: number;
                                removed: number;
                            };
                        };
                        /** Format: date-time */
                        created_at: string;
                        dry_run: boolean;
                        error: {
                            code: string;
                            detail: string;
                        } | null;
                        error_count: number;
                        errors: {
                            /** @enum {string} */
                            code: "required" | "too_long" | "invalid_type" | "invalid_value" | "invalid_metadata" | "ambiguous_metadata" | "cell_error" | "invalid_date" | "precision_lost" | "unreadable_text" | "malformed_quotes" | "not_found" | "ambiguous_key" | "ambiguous_path" | "duplicate_key" | "duplicate_key_in_file" | "path_not_found" | "cycle" | "too_deep" | "too_many_children" | "too_large" | "last_admin" | "parent_failed" | "collection_failed" | "forbidden" | "delete_not_allowed" | "has_children" | "not_applied" | "no_key" | "example_skipped" | "unknown_header" | "no_header" | "formula_without_value" | "hidden_sheet" | "hidden_rows" | "merged_cells";
                            /** @description Its letters */
                            column: string | null;
                            header: string | null;
                            /** @enum {string} */
                            level: "error" | "warning";
                            message: string;
                            /** @description The number a spreadsheet program shows */
                            row: number | null;
                            sheet: string;
                            /** @description The first 100 characters of the cell */
                            value: string | null;
                        }[];
                        errors_truncated: boolean;
                        /** Format: date-time */
                        expires_at: string | null;
                        file: {
                            name: string;
                            sha256: string;
                            size: number;
                        };
                        /** Format: date-time */
                        finished_at: string | null;
                        /** Format: uuid */
                        job_id: string;
                        /** @enum {string} */
                        mode: "partial" | "atomic";
                        options: {
                            allow_delete?: boolean;
                            /** @description The field that a header means; null leaves its column out */
                            columns?: {
                                [key: string]: string | null;
                            };
                            create_missing: boolean;
                            dry_run: boolean;
                            /** @enum {string} */
                            links: "add" | "replace";
                            /** @enum {string} */
                            match: "key" | "key_or_path";
                            /** @enum {string} */
                            mode: "partial" | "atomic";
                            /** @enum {string} */
                            on_blank: "keep" | "clear";
                            /** Format: uuid */
                            parent_id: string | null;
                            /**
                             * @description Of the cells of a .csv; told by its header if absent
                             * @enum {string}
                             */
                            separator?: "comma" | "semicolon" | "tab";
                            strict: boolean;
                        };
                        progress: {
                            percent: number | null;
                            /** @enum {string} */
                            phase: "reading" | "validating" | "collections" | "items" | "done";
                            rows_read: number;
                            rows_total: number | null;
                        };
                        /** Format: date-time */
                        started_at: string | null;
                        /** @enum {string} */
                        state: "queued" | "validating" | "processing" | "completed" | "completed_with_errors" | "failed" | "cancelled";
                        warning_count: number;
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
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        collections: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        }[];
                        counts: {
                            collections: {
                                created: number;
                                failed: number;
                                unchanged: number;
                                updated: number;
                            };
                            deleted: {
                                collections: number;
                                items: number;
                            };
                            items: {
                                created: number;
                                failed: number;
                                unchanged: number;
                                updated: number;
                            };
                            links: {
                                added: number;
                                existing: number;
                                removed: number;
                            };
                        };
                        /** Format: date-time */
                        created_at: string;
                        dry_run: boolean;
                        error: {
                            code: string;
                            detail: string;
                        } | null;
                        error_count: number;
                        errors: {
                            /** @enum {string} */
                            code: "required" | "too_long" | "invalid_type" | "invalid_value" | "invalid_metadata" | "ambiguous_metadata" | "cell_error" | "invalid_date" | "precision_lost" | "unreadable_text" | "malformed_quotes" | "not_found" | "ambiguous_key" | "ambiguous_path" | "duplicate_key" | "duplicate_key_in_file" | "path_not_found" | "cycle" | "too_deep" | "too_many_children" | "too_large" | "last_admin" | "parent_failed" | "collection_failed" | "forbidden" | "delete_not_allowed" | "has_children" | "not_applied" | "no_key" | "example_skipped" | "unknown_header" | "no_header" | "formula_without_value" | "hidden_sheet" | "hidden_rows" | "merged_cells";
                            /** @description Its letters */
                            column: string | null;
                            header: string | null;
                            /** @enum {string} */
                            level: "error" | "warning";
                            message: string;
                            /** @description The number a spreadsheet program shows */
                            row: number | null;
                            sheet: string;
                            /** @description The first 100 characters of the cell */
                            value: string | null;
                        }[];
                        errors_truncated: boolean;
                        /** Format: date-time */
                        expires_at: string | null;
                        file: {
                            name: string;
                            sha256: string;
                            size: number;
                        };
                        /** Format: date-time */
                        finished_at: string | null;
                        /** Format: uuid */
                        job_id: string;
                        /** @enum {string} */
                        mode: "partial" | "atomic";
                        options: {
                            allow_delete?: boolean;
                            /** @description The field that a header means; null leaves its column out */
                            columns?: {
                                [key: string]: string | null;
                            };
                            create_missing: boolean;
                            dry_run: boolean;
                            /** @enum {string} */
                            links: "add" | "replace";
                            /** @enum {string} */
                            match: "key" | "key_or_path";
                            /** @enum {string} */
                            mode: "partial" | "atomic";
                            /** @enum {string} */
                            on_blank: "keep" | "clear";
                            /** Format: uuid */
                            parent_id: string | null;
                            /**
                             * @description Of the cells of a .csv; told by its header if absent
                             * @enum {string}
                             */
                            separator?: "comma" | "semicolon" | "tab";
                            strict: boolean;
                        };
                        progress: {
                            percent: number | null;
                            /** @enum {string} */
                            phase: "reading" | "validating" | "collections" | "items" | "done";
                            rows_read: number;
                            rows_total: number | null;
                        };
                        /** Format: date-time */
                        started_at: string | null;
                        /** @enum {string} */
                        state: "queued" | "validating" | "processing" | "completed" | "completed_with_errors" | "failed" | "cancelled";
                        warning_count: number;
                    };
                };
            };
        };
    };
    getBulkJobsByJobIdErrors: {
        parameters: {
            query?: {
                cursor?: string;
                format?: "json" | "xlsx";
                include?: "row";
                level?: "error" | "warning";
                page?: number;
                per_page?: number;
            };
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The errors, or with format=xlsx the rows as a workbook to correct */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @description With include=row, at the first error of each row of a page: its cells that are not blank, the first 100 characters of each. null where they were too much to keep */
                            cells?: {
                                column: string;
                                header: string;
                                text: string;
                            }[] | null;
                            /** @enum {string} */
                            code: "required" | "too_long" | "invalid_type" | "invalid_value" | "invalid_metadata" | "ambiguous_metadata" | "cell_error" | "invalid_date" | "precision_lost" | "unreadable_text" | "malformed_quotes" | "not_found" | "ambiguous_key" | "ambiguous_path" | "duplicate_key" | "duplicate_key_in_file" | "path_not_found" | "cycle" | "too_deep" | "too_many_children" | "too_large" | "last_admin" | "parent_failed" | "collection_failed" | "forbidden" | "delete_not_allowed" | "has_children" | "not_applied" | "no_key" | "example_skipped" | "unknown_header" | "no_header" | "formula_without_value" | "hidden_sheet" | "hidden_rows" | "merged_cells";
                            /** @description Its letters */
                            column: string | null;
                            header: string | null;
                            /** @enum {string} */
                            level: "error" | "warning";
                            message: string;
                            /** @description The number a spreadsheet program shows */
                            row: number | null;
                            sheet: string;
                            /** @description The first 100 characters of the cell */
                            value: string | null;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
                    };
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    postBulkJobsByJobIdErrorsMended: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    rows: {
                        cells: {
                            [key: string]: string;
                        };
                        row: number;
                        sheet: string;
                    }[];
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
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    postBulkRecognise: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    allow_delete?: boolean;
                    columns?: string;
                    create_missing?: boolean;
                    dry_run?: boolean;
                    /** Format: binary */
                    file: string;
                    /** @enum {string} */
                    links?: "add" | "replace";
                    /** @enum {string} */
                    match?: "key" | "key_or_path";
                    /** @enum {string} */
                    mode?: "partial" | "atomic";
                    /** @enum {string} */
                    on_blank?: "keep" | "clear";
                    /** Format: uuid */
                    parent_id?: string;
                    /**
                     * @description Of the cells of a .csv; told by its header if absent
                     * @enum {string}
                     */
                    separator?: "comma" | "semicolon" | "tab";
                    strict?: boolean;
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
                        /** @description What an upload would be refused with */
                        error: {
                            code: string;
                            detail: string;
                        } | null;
                        sheets: {
                            columns: {
                                /** @description Its letters */
                                column: string;
                                /** @description What it is read as; null if it is not */
                                field: string | null;
                                header: string;
                                /** @description The nearest known name of an unknown header */
                                nearest: string | null;
                            }[];
                            /** @description What an upload would be refused with */
                            error: {
                                code: string;
                                detail: string;
                            } | null;
                            header_row: number | null;
                            hidden: boolean;
                            name: string;
                            /**
                             * @description null for a sheet that is not read
                             * @enum {string|null}
                             */
                            role: "collections" | "items" | null;
                        }[];
                    };
                };
            };
        };
    };
    getBulkTemplate: {
        parameters: {
            query?: {
                parent_id?: string;
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
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    postBulkUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    allow_delete?: boolean;
                    columns?: string;
                    create_missing?: boolean;
                    dry_run?: boolean;
                    /** Format: binary */
                    file: string;
                    /** @enum {string} */
                    links?: "add" | "replace";
                    /** @enum {string} */
                    match?: "key" | "key_or_path";
                    /** @enum {string} */
                    mode?: "partial" | "atomic";
                    /** @enum {string} */
                    on_blank?: "keep" | "clear";
                    /** Format: uuid */
                    parent_id?: string;
                    /**
                     * @description Of the cells of a .csv; told by its header if absent
                     * @enum {string}
                     */
                    separator?: "comma" | "semicolon" | "tab";
                    strict?: boolean;
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
                        state: "queued" | "validating" | "processing" | "completed" | "completed_with_errors" | "failed" | "cancelled";
                        status_url: string;
                    };
                };
            };
        };
    };
    getChanges: {
        parameters: {
            query?: {
                per_page?: number;
                since?: string;
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
                            changed_at: string;
                            collection?: {
                                /** Format: date-time */
                                created_at: string;
                                /** Format: uuid */
                                created_by: string | null;
                                description: string | null;
                                external_key: string | null;
                                hierarchy: {
                                    children_count: number;
                                    depth: number;
                                    /** Format: uuid */
                                    parent_id: string | null;
                                    path: {
                                        /** Format: uuid */
                                        id: string;
                                        name: string;
                                    }[];
                                    path_truncated: boolean;
                                    /** Format: uuid */
                                    root_id: string | null;
                                };
                                /** Format: uuid */
                                id: string;
                                inherit_members: boolean;
                                item_count: number;
                                member_count: number;
                                metadata: {
                                    [key: string]: unknown;
                                };
                                /** @enum {string|null} */
                                my_role: "viewer" | "editor" | "admin" | null;
                                name: string;
                                type: string;
                                /** Format: date-time */
                                updated_at: string;
                                version: number;
                            };
                            /** Format: uuid */
                            id: string;
                            item?: {
                                collection_ids: string[];
                                /** Format: date-time */
                                created_at: string;
                                /** Format: uuid */
                                created_by: string | null;
                                description: string | null;
                                external_key: string | null;
                                /** Format: uuid */
                                id: string;
                                metadata: {
                                    [key: string]: unknown;
                                };
                                name: string;
                                /** Format: date-time */
                                updated_at: string;
                                version: number;
                            };
                            /** @enum {string} */
                            state: "present" | "gone";
                            /** @enum {string} */
                            type: "item" | "collection";
                        }[];
                    };
                };
            };
        };
    };
    getCollections: {
        parameters: {
            query?: {
                ancestor_id?: string;
                created_by?: string;
                cursor?: string;
                external_key?: string;
                fields?: string;
                my_role?: string;
                orphaned?: string;
                page?: number;
                parent_id?: string;
                per_page?: number;
                q?: string;
                scope?: "own" | "all";
                sort?: string;
                type?: string;
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
                            created_at?: string;
                            /** Format: uuid */
                            created_by?: string | null;
                            description?: string | null;
                            external_key?: string | null;
                            hierarchy?: {
                                children_count: number;
                                depth: number;
                                /** Format: uuid */
                                parent_id: string | null;
                                path: {
                                    /** Format: uuid */
                                    id: string;
                                    name: string;
                                }[];
                                path_truncated: boolean;
                                /** Format: uuid */
                                root_id: string | null;
                            };
                            /** Format: uuid */
                            id: string;
                            inherit_members?: boolean;
                            item_count?: number;
                            member_count?: number;
                            metadata?: {
                                [key: string]: unknown;
                            };
                            /** @enum {string|null} */
                            my_role?: "viewer" | "editor" | "admin" | null;
                            name?: string;
                            type?: string;
                            /** Format: date-time */
                            updated_at?: string;
                            version?: number;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
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
    postCollections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    external_key?: string | null;
                    inherit_members?: boolean;
                    metadata?: {
                        [key: string]: unknown;
                    };
                    name: string;
                    /** Format: uuid */
                    parent_id?: string | null;
                    type?: string;
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
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        hierarchy: {
                            children_count: number;
                            depth: number;
                            /** Format: uuid */
                            parent_id: string | null;
                            path: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            path_truncated: boolean;
                            /** Format: uuid */
                            root_id: string | null;
                        };
                        /** Format: uuid */
                        id: string;
                        inherit_members: boolean;
                        item_count: number;
                        member_count: number;
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {string|null} */
                        my_role: "viewer" | "editor" | "admin" | null;
                        name: string;
                        type: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    getCollectionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        hierarchy: {
                            children_count: number;
                            depth: number;
                            /** Format: uuid */
                            parent_id: string | null;
                            path: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            path_truncated: boolean;
                            /** Format: uuid */
                            root_id: string | null;
                        };
                        /** Format: uuid */
                        id: string;
                        inherit_members: boolean;
                        item_count: number;
                        member_count: number;
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {string|null} */
                        my_role: "viewer" | "editor" | "admin" | null;
                        name: string;
                        type: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    putCollectionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    external_key?: string | null;
                    inherit_members?: boolean;
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    name?: string;
                    /** Format: uuid */
                    parent_id?: string | null;
                    type?: string;
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
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        hierarchy: {
                            children_count: number;
                            depth: number;
                            /** Format: uuid */
                            parent_id: string | null;
                            path: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            path_truncated: boolean;
                            /** Format: uuid */
                            root_id: string | null;
                        };
                        /** Format: uuid */
                        id: string;
                        inherit_members: boolean;
                        item_count: number;
                        member_count: number;
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {string|null} */
                        my_role: "viewer" | "editor" | "admin" | null;
                        name: string;
                        type: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    deleteCollectionsById: {
        parameters: {
            query?: {
                cascade?: boolean;
            };
            header?: never;
            path: {
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
    patchCollectionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    external_key?: string | null;
                    inherit_members?: boolean;
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    name?: string;
                    /** Format: uuid */
                    parent_id?: string | null;
                    type?: string;
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
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        hierarchy: {
                            children_count: number;
                            depth: number;
                            /** Format: uuid */
                            parent_id: string | null;
                            path: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            path_truncated: boolean;
                            /** Format: uuid */
                            root_id: string | null;
                        };
                        /** Format: uuid */
                        id: string;
                        inherit_members: boolean;
                        item_count: number;
                        member_count: number;
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {string|null} */
                        my_role: "viewer" | "editor" | "admin" | null;
                        name: string;
                        type: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    getCollectionsByIdExport: {
        parameters: {
            query?: {
                format?: "xlsx" | "csv" | "jsonl";
                include_subtree?: boolean;
                sheet?: "items" | "collections";
            };
            header?: never;
            path: {
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
                    "application/jsonl": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
        };
    };
    getCollectionsByIdInvitees: {
        parameters: {
            query?: {
                name?: string;
            };
            header?: never;
            path: {
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
                        items: {
                            display_name: string | null;
                            email_verified: boolean;
                            /** Format: uuid */
                            user_id: string;
                        }[];
                    };
                };
            };
        };
    };
    getCollectionsByIdItems: {
        parameters: {
            query?: {
                added_by?: string;
                created_by?: string;
                cursor?: string;
                external_key?: string;
                fields?: string;
                include_subtree?: boolean;
                page?: number;
                per_page?: number;
                q?: string;
                sort?: string;
            };
            header?: never;
            path: {
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
                        items: {
                            /** Format: date-time */
                            added_at?: string;
                            /** Format: uuid */
                            added_by?: string | null;
                            collection_ids?: string[];
                            /** Format: date-time */
                            created_at?: string;
                            /** Format: uuid */
                            created_by?: string | null;
                            description?: string | null;
                            external_key?: string | null;
                            /** Format: uuid */
                            id?: string;
                            metadata?: {
                                [key: string]: unknown;
                            };
                            name?: string;
                            /** Format: date-time */
                            updated_at?: string;
                            version?: number;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
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
    postCollectionsByIdItems: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    external_key?: string | null;
                    /** Format: uuid */
                    item_id?: string;
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    name?: string;
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
                        collection_ids: string[];
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        /** Format: uuid */
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        name: string;
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
                        collection_ids: string[];
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        /** Format: uuid */
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        name: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    deleteCollectionsByIdItemsByItemId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                item_id: string;
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
                        item_deleted: boolean;
                        remaining_collections: number;
                        /** @enum {boolean} */
                        removed: true;
                    };
                };
            };
        };
    };
    postCollectionsByIdItemsBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    item_ids: string[];
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
                        existing: number;
                        linked: number;
                    };
                };
            };
        };
    };
    postCollectionsByIdItemsBatchWrite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    operations: {
                        /** @enum {string} */
                        action: "create" | "update" | "remove" | "delete";
                        description?: string | null;
                        external_key?: string | null;
                        /** Format: uuid */
                        item_id?: string;
                        metadata?: {
                            [key: string]: unknown;
                        } | null;
                        name?: string;
                        version?: number;
                    }[];
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
                        results: {
                            error: {
                                code: string;
                                detail: string;
                                errors: {
                                    [key: string]: unknown;
                                }[];
                            } | null;
                            /** Format: uuid */
                            item_id: string | null;
                            /** @enum {string} */
                            status: "created" | "updated" | "unchanged" | "removed" | "deleted" | "failed";
                            version: number | null;
                        }[];
                    };
                };
            };
        };
    };
    postCollectionsByIdLeave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
    getCollectionsByIdMembers: {
        parameters: {
            query?: {
                cursor?: string;
                fields?: string;
                page?: number;
                per_page?: number;
                role?: string;
                sort?: string;
                source?: string;
            };
            header?: never;
            path: {
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
                        items: {
                            /** @enum {string|null} */
                            direct_role?: "viewer" | "editor" | "admin" | null;
                            display_name?: string | null;
                            email?: string | null;
                            /** Format: uuid */
                            invited_by?: string | null;
                            /** Format: date-time */
                            joined_at?: string;
                            /** @enum {string} */
                            role?: "viewer" | "editor" | "admin";
                            /** @enum {string} */
                            source?: "direct" | "inherited";
                            /** Format: uuid */
                            source_collection_id?: string | null;
                            /** Format: uuid */
                            user_id?: string;
                        }[];
                        next_cursor: string | null;
                        page: number;
                        pages: number;
                        per_page: number;
                        total: number;
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
    postCollectionsByIdMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "viewer" | "editor" | "admin";
                    /** Format: uuid */
                    user_id: string;
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
                        /** @enum {string|null} */
                        direct_role: "viewer" | "editor" | "admin" | null;
                        display_name: string | null;
                        email: string | null;
                        /** Format: uuid */
                        invited_by: string | null;
                        /** Format: date-time */
                        joined_at: string;
                        /** @enum {string} */
                        role: "viewer" | "editor" | "admin";
                        /** @enum {string} */
                        source: "direct" | "inherited";
                        /** Format: uuid */
                        source_collection_id: string | null;
                        /** Format: uuid */
                        user_id: string;
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
                        /** @enum {string|null} */
                        direct_role: "viewer" | "editor" | "admin" | null;
                        display_name: string | null;
                        email: string | null;
                        /** Format: uuid */
                        invited_by: string | null;
                        /** Format: date-time */
                        joined_at: string;
                        /** @enum {string} */
                        role: "viewer" | "editor" | "admin";
                        /** @enum {string} */
                        source: "direct" | "inherited";
                        /** Format: uuid */
                        source_collection_id: string | null;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    putCollectionsByIdMembersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "viewer" | "editor" | "admin";
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
                        /** @enum {string|null} */
                        direct_role: "viewer" | "editor" | "admin" | null;
                        display_name: string | null;
                        email: string | null;
                        /** Format: uuid */
                        invited_by: string | null;
                        /** Format: date-time */
                        joined_at: string;
                        /** @enum {string} */
                        role: "viewer" | "editor" | "admin";
                        /** @enum {string} */
                        source: "direct" | "inherited";
                        /** Format: uuid */
                        source_collection_id: string | null;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    deleteCollectionsByIdMembersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
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
    patchCollectionsByIdMembersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "viewer" | "editor" | "admin";
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
                        /** @enum {string|null} */
                        direct_role: "viewer" | "editor" | "admin" | null;
                        display_name: string | null;
                        email: string | null;
                        /** Format: uuid */
                        invited_by: string | null;
                        /** Format: date-time */
                        joined_at: string;
                        /** @enum {string} */
                        role: "viewer" | "editor" | "admin";
                        /** @enum {string} */
                        source: "direct" | "inherited";
                        /** Format: uuid */
                        source_collection_id: string | null;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
    };
    getCollectionsByIdViews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                        items: {
                            /** Format: date-time */
                            created_at: string;
                            /** Format: uuid */
                            created_by: string | null;
                            /** Format: uuid */
                            id: string;
                            name: string;
                            query: string;
                        }[];
                    };
                };
            };
        };
    };
    putCollectionsByIdViews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description What orders and narrows the list of items, as in its address */
                    query: string;
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
                        /** Format: uuid */
                        created_by: string | null;
                        /** Format: uuid */
                        id: string;
                        name: string;
                        query: string;
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
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        /** Format: uuid */
                        id: string;
                        name: string;
                        query: string;
                    };
                };
            };
        };
    };
    deleteCollectionsByIdViewsByViewId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                view_id: string;
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
    getInfo: {
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
                        name: string;
                        sso_url: string;
                        version: string;
                    };
                };
            };
        };
    };
    getItems: {
        parameters: {
            query?: {
                cursor?: string;
                external_key?: string;
                per_page?: number;
                q?: string;
                scope?: "own" | "all";
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
                            collection_ids: string[];
                            collections: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            /** Format: date-time */
                            created_at: string;
                            /** Format: uuid */
                            created_by: string | null;
                            description: string | null;
                            external_key: string | null;
                            /** Format: uuid */
                            id: string;
                            metadata: {
                                [key: string]: unknown;
                            };
                            name: string;
                            /** Format: date-time */
                            updated_at: string;
                            version: number;
                        }[];
                        next_cursor: string | null;
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
    getItemsByItemId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                item_id: string;
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
                        collection_ids: string[];
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        /** Format: uuid */
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        name: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    putItemsByItemId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    external_key?: string | null;
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    name?: string;
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
                        collection_ids: string[];
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        /** Format: uuid */
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        name: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    patchItemsByItemId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    external_key?: string | null;
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                    name?: string;
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
                        collection_ids: string[];
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        /** Format: uuid */
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        name: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
                    };
                };
            };
        };
    };
    getItemsByItemIdHistory: {
        parameters: {
            query?: {
                cursor?: string;
                per_page?: number;
            };
            header?: never;
            path: {
                item_id: string;
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
                            after: {
                                [key: string]: unknown;
                            } | null;
                            before: {
                                [key: string]: unknown;
                            } | null;
                            /** Format: date-time */
                            changed_at: string;
                            /** Format: uuid */
                            changed_by: string | null;
                            collection_ids: string[];
                            display_name: string | null;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "created" | "updated" | "added" | "removed";
                            version: number | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    postItemsByItemIdHistoryByChangeIdPutBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                change_id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    fields?: string[];
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
                        collection_ids: string[];
                        /** Format: date-time */
                        created_at: string;
                        /** Format: uuid */
                        created_by: string | null;
                        description: string | null;
                        external_key: string | null;
                        /** Format: uuid */
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        name: string;
                        /** Format: date-time */
                        updated_at: string;
                        version: number;
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
                        database: {
                            response_time_ms: number | null;
                            /** @enum {string} */
                            status: "ok" | "down";
                        };
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
}
