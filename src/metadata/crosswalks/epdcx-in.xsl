<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!--
  EPDCX (the Scholarly Works Application Profile) to DIM, as SWORD clients have sent it since 2007. The fields that DSpace makes
  of it are the same here; types, statuses, subjects and publishers that DSpace leaves out are kept.
-->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:epdcx="http://purl.org/eprint/epdcx/2006-11-16/" exclude-result-prefixes="epdcx">

  <xsl:variable name="types" select="concat(';JournalArticle=Journal Article;JournalItem=Journal Item;Book=Book;BookItem=Book Item;',
    'BookReview=Book Review;ConferenceItem=Conference Item;ConferencePaper=Conference Paper;ConferencePoster=Conference Poster;',
    'NewsItem=News Item;Patent=Patent;Report=Report;SubmittedJournalArticle=Submitted Journal Article;Thesis=Thesis;',
    'WorkingPaper=Working Paper;ScholarlyText=Scholarly Text;')"/>

  <xsl:template match="/">
    <xsl:if test="not(//epdcx:descriptionSet)">
      <xsl:message terminate="yes">not EPDCX: it has no epdcx:descriptionSet</xsl:message>
    </xsl:if>
    <dim:dim><xsl:apply-templates select="//epdcx:description/epdcx:statement"/></dim:dim>
  </xsl:template>

  <xsl:template match="epdcx:statement">
    <xsl:variable name="property" select="(@epdcx:propertyURI | @propertyURI)[1]"/>
    <xsl:variable name="vocabulary" select="string((@epdcx:vesURI | @vesURI)[1])"/>
    <xsl:variable name="value" select="string((@epdcx:valueURI | @valueURI)[1])"/>
    <xsl:choose>
      <xsl:when test="$property = 'http://purl.org/dc/elements/1.1/title'">
        <xsl:apply-templates select="epdcx:valueString"><xsl:with-param name="element">title</xsl:with-param></xsl:apply-templates>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/terms/abstract'">
        <xsl:apply-templates select="epdcx:valueString">
          <xsl:with-param name="element">description</xsl:with-param><xsl:with-param name="qualifier">abstract</xsl:with-param>
        </xsl:apply-templates>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/elements/1.1/creator'">
        <xsl:apply-templates select="epdcx:valueString">
          <xsl:with-param name="element">contributor</xsl:with-param><xsl:with-param name="qualifier">author</xsl:with-param>
        </xsl:apply-templates>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/elements/1.1/subject'">
        <xsl:apply-templates select="epdcx:valueString"><xsl:with-param name="element">subject</xsl:with-param></xsl:apply-templates>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/elements/1.1/publisher'">
        <xsl:apply-templates select="epdcx:valueString"><xsl:with-param name="element">publisher</xsl:with-param></xsl:apply-templates>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/elements/1.1/identifier'">
        <xsl:apply-templates select="epdcx:valueString" mode="identifier"/>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/elements/1.1/language' and $vocabulary = 'http://purl.org/dc/terms/RFC3066'">
        <xsl:apply-templates select="epdcx:valueString">
          <xsl:with-param name="element">language</xsl:with-param><xsl:with-param name="qualifier">rfc3066</xsl:with-param>
        </xsl:apply-templates>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/elements/1.1/type' and $vocabulary = 'http://purl.org/eprint/terms/Type'">
        <xsl:call-template name="type"><xsl:with-param name="name" select="substring-after($value, 'http://purl.org/eprint/type/')"/></xsl:call-template>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/dc/terms/available'">
        <xsl:apply-templates select="epdcx:valueString">
          <xsl:with-param name="element">date</xsl:with-param><xsl:with-param name="qualifier">issued</xsl:with-param>
        </xsl:apply-templates>
      </xsl:when>
      <!-- One packager writes Status with a capital. -->
      <xsl:when test="$property = 'http://purl.org/eprint/terms/status' or $property = 'http://purl.org/eprint/terms/Status'">
        <xsl:call-template name="status"><xsl:with-param name="name" select="substring-after($value, 'http://purl.org/eprint/status/')"/></xsl:call-template>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/eprint/terms/copyrightHolder'">
        <xsl:apply-templates select="epdcx:valueString">
          <xsl:with-param name="element">rights</xsl:with-param><xsl:with-param name="qualifier">holder</xsl:with-param>
        </xsl:apply-templates>
      </xsl:when>
      <xsl:when test="$property = 'http://purl.org/eprint/terms/bibliographicCitation'">
        <xsl:apply-templates select="epdcx:valueString">
          <xsl:with-param name="element">identifier</xsl:with-param><xsl:with-param name="qualifier">citation</xsl:with-param>
        </xsl:apply-templates>
      </xsl:when>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="epdcx:valueString">
    <xsl:param name="element"/>
    <xsl:param name="qualifier"/>
    <dim:field mdschema="dc" element="{$element}" qualifier="{$qualifier}"><xsl:value-of select="."/></dim:field>
  </xsl:template>

  <xsl:template match="epdcx:valueString" mode="identifier">
    <dim:field mdschema="dc" element="identifier">
      <xsl:if test="(@epdcx:sesURI | @sesURI)[1] = 'http://purl.org/dc/terms/URI'"><xsl:attribute name="qualifier">uri</xsl:attribute></xsl:if>
      <xsl:value-of select="."/>
    </dim:field>
  </xsl:template>

  <xsl:template name="type">
    <xsl:param name="name"/>
    <xsl:variable name="entry" select="concat(';', $name, '=')"/>
    <xsl:if test="$name != '' and contains($types, $entry)">
      <dim:field mdschema="dc" element="type">
        <xsl:value-of select="substring-before(substring-after($types, $entry), ';')"/>
      </dim:field>
    </xsl:if>
  </xsl:template>

  <xsl:template name="status">
    <xsl:param name="name"/>
    <xsl:if test="$name = 'PeerReviewed' or $name = 'NonPeerReviewed'">
      <dim:field mdschema="dc" element="description" qualifier="version">
        <xsl:if test="$name = 'NonPeerReviewed'">Non </xsl:if>
        <xsl:text>Peer Reviewed</xsl:text>
      </dim:field>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
